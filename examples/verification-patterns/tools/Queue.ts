/** Publishes an event, proven by its consumer's record and by the state that the consumer wrote. */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Pg from "pg"
import * as Proven from "./Proven.ts"

/** An event. Messages about one seat have to be processed in order. */
export interface Event {
  readonly destination: string
  readonly seat: string
  readonly holder: string | null
}

/** The tool. */
export const publish = (client: Pg.Pool): Proven.Proven => ({
  contract: Proven.contract("queue", {
    class: "medium_risk_write",
    input: { destination: "string", seat: "string", holder: { type: "string", nullable: true } },
    identity: ["destination", "seat"],
    target: "'seat/' + args.seat",
    options: {
      wants: { topic: "args.destination", id: "observed.id", group: "'desk'", state: "args.holder" },
      confirm: ["topic", "message", "key", "group", "state"],
      within: "2s"
    }
  }),
  code: {
    execute: async ({ destination, holder, seat }: Event, { key }) => {
      const body = { seat, ...(holder === null ? {} : { holder }) }
      const { rows } = await client.query(
        "insert into outbox (topic, key, line, body) values ($1, $2, $3, $4) returning 'm' || seq as id",
        [destination, key, seat, body]
      )
      // A message that is still in the outbox has not been processed.
      return new ToolExecutor.Accepted({ id: String(rows[0].id) })
    },
    readback: ({ key }, { seat }: Event) => look(client, key ?? "", seat)
  }
})

const look = async (client: Pg.Pool, key: string, seat: string): Promise<JsonObject | undefined> => {
  const { rows } = await client.query("select *, done::int as position from messages where key = $1 order by seq", [
    key
  ])
  const [message] = rows
  if (message === undefined) return undefined
  const overtaken = await client.query(
    `select key from messages
     where line = $1 and seq < $2 and (done is null or done > $3) and $3::bigint is not null order by seq`,
    [message.line, message.seq, message.position]
  )
  const state = await client.query("select holder from seats where id = $1", [seat])
  return {
    status: message.status,
    count: rows.length,
    overtaken: overtaken.rows.map(({ key: each }) => String(each)),
    downstream: state.rows[0]?.holder ?? null,
    topic: message.topic,
    id: message.id,
    key: message.key,
    group: message.consumer ?? null
  }
}
