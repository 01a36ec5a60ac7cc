/**
 * A queue in Postgres: an outbox that a relay publishes from, topics, and the outcome of each message at a consumer.
 *
 * Publisher and consumer share these tables alone. `done` has the order in which messages were processed; `seats` is
 * the state that they cause.
 */

/** The tables. */
export const tables = `
  create table outbox (seq bigserial primary key, topic text, key text, line text, body jsonb, sent boolean default false);
  create table messages (
    seq bigserial primary key, id text, topic text, key text, line text, body jsonb, consumer text,
    status text default 'queued', attempts int default 0, done bigint, not_before timestamptz default now()
  );
  create sequence done;
  create table seats (id text primary key, holder text, blocked boolean default false, closed boolean default false);
  create table topics (name text primary key, paused boolean default false, relay_dies int default 0);
`

/** A message as the consumer takes it. */
export interface Message {
  readonly seq: string
  readonly body: { readonly seat: string; readonly holder?: string; readonly slow?: boolean }
  readonly attempts: number
}
