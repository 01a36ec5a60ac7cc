/**
 * The consumer `desk`, and the relay of the outbox: a separate process that uses Postgres.
 *
 * Messages are taken with SKIP LOCKED, the oldest first. A message that cannot be read is tried three times and then
 * put aside as a dead letter. A message with a forbidden change fails. A message whose seat is busy is tried again
 * later.
 */
import { setTimeout as sleep } from "node:timers/promises"
import Pg from "pg"
import type { Message } from "./Broker.ts"

const [url = "", schema = ""] = process.argv.slice(2)
const client = new Pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
await client.connect()

const attemptsMax = 3

/** Publishes from the outbox. A relay that dies before it records the publication publishes the same message again. */
const relay = async (): Promise<void> => {
  const { rows } = await client.query("select * from outbox where not sent order by seq limit 1")
  const [next] = rows
  if (next === undefined) return
  await client.query("insert into messages (id, topic, key, line, body) values ($1, $2, $3, $4, $5)", [
    `m${next.seq}`,
    next.topic,
    next.key,
    next.line,
    next.body
  ])
  const died = await client.query(
    "update topics set relay_dies = relay_dies - 1 where name = $1 and relay_dies > 0 returning name",
    [next.topic]
  )
  if (died.rowCount === 0) await client.query("update outbox set sent = true where seq = $1", [next.seq])
}

const settle = (seq: string, status: string) =>
  client.query(
    `update messages set status = $2, attempts = attempts + 1, consumer = 'desk',
     done = case when $2 = 'queued' then null else nextval('done') end where seq = $1`,
    [seq, status]
  )

const handle = async ({ attempts, body, seq }: Message): Promise<unknown> => {
  if (body.holder === undefined) return settle(seq, attempts + 1 < attemptsMax ? "queued" : "dead_letter")
  if (body.slow === true && attempts === 0) {
    await client.query("update messages set not_before = now() + interval '1 hour' where seq = $1", [seq])
    return settle(seq, "queued")
  }
  const seat = await client.query("select blocked, closed from seats where id = $1 for update", [body.seat])
  if (seat.rows[0]?.blocked === true) return settle(seq, "failed")
  // A closed flight accepts no more changes; the message has been processed all the same.
  if (seat.rows[0]?.closed !== true) {
    await client.query(
      "insert into seats (id, holder) values ($1, $2) on conflict (id) do update set holder = excluded.holder",
      [body.seat, body.holder]
    )
  }
  return settle(seq, "done")
}

const consume = async (): Promise<boolean> => {
  await client.query("begin")
  const { rows } = await client.query<Message>(`select seq, body, attempts from messages
    where status = 'queued' and not_before <= now() and topic not in (select name from topics where paused)
    order by seq for update skip locked limit 1`)
  const [message] = rows
  if (message !== undefined) await handle(message)
  await client.query("commit")
  return message !== undefined
}

let running = true
process.stdin
  .on("end", () => {
    running = false
  })
  .resume()
process.stdout.write("{}\n")
while (running) {
  await relay()
  if (!(await consume())) await sleep(20)
}
await client.end()
