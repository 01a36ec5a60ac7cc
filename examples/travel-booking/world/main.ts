/**
 * Starts the world as a process of its own: one line of JSON with its address on stdout, then requests until SIGTERM or
 * SIGINT.
 */
import { parseArgs } from "node:util"
import * as World from "./World.ts"

const usage =
  "Usage: node world/main.ts [--port N] [--db FILE] [--settle-after MS] [--key-retention MS] [--capacity N] [--until-stdin-ends]"

const integer = (name: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  if (!/^\d{1,15}$/.test(value)) throw new Error(`--${name} must be a whole number, found ${value}`)
  return Number(value)
}

const options = (): { readonly world: World.WorldOptions; readonly untilStdinEnds: boolean } => {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      db: { type: "string" },
      "settle-after": { type: "string" },
      "key-retention": { type: "string" },
      capacity: { type: "string" },
      "until-stdin-ends": { type: "boolean" }
    }
  })
  const port = integer("port", values.port)
  if (port !== undefined && port > 65_535) throw new Error(`--port must be at most 65535, found ${port}`)
  const settleAfterMillis = integer("settle-after", values["settle-after"])
  const keyRetentionMillis = integer("key-retention", values["key-retention"])
  const capacity = integer("capacity", values.capacity)
  return {
    world: {
      ...(port === undefined ? {} : { port }),
      ...(values.db === undefined ? {} : { db: values.db }),
      ...(settleAfterMillis === undefined ? {} : { settleAfterMillis }),
      ...(keyRetentionMillis === undefined ? {} : { keyRetentionMillis }),
      ...(capacity === undefined ? {} : { capacity })
    },
    untilStdinEnds: values["until-stdin-ends"] === true
  }
}

const fail = (code: number, error: unknown, hint: string): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${hint}\n`)
  process.exit(code)
}

const parsed = (() => {
  try {
    return options()
  } catch (error) {
    return fail(2, error, usage)
  }
})()

const world = await World.start(parsed.world).catch((error: unknown) =>
  fail(1, error, "The world did not start; choose another --port or --db")
)

let stopping = false
const stop = (): void => {
  if (stopping) return
  stopping = true
  void world.close().then(() => process.exit(0))
}
process.on("SIGTERM", stop)
process.on("SIGINT", stop)
if (parsed.untilStdinEnds) process.stdin.on("end", stop).on("error", stop).resume()

process.stdout.write(`${JSON.stringify({ url: world.url })}\n`)
