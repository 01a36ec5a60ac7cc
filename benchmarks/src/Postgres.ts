/**
 * The Postgres that is measured: the server of `DATABASE_URL`, or one that is started when the first figure needs it.
 *
 * @since 0.1.0
 */
import * as Fs from "node:fs"
import * as Tooling from "../../tooling/src/postgres.ts"

type Started = Promise<{ readonly url: string; readonly stop: () => Promise<void> }>

let started: Started | undefined
let startedInMemory: Started | undefined

/** What Linux keeps in memory as if it were a disk, on which a flush has nothing to wait for. */
const memory = "/dev/shm"

/**
 * Address of the server, whose settings are the defaults: every commit is flushed.
 *
 * @category getters
 * @since 0.1.0
 */
export const url = async (): Promise<string> => {
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") return given
  started ??= Tooling.start()
  return (await started).url
}

/**
 * Address of another server with the same settings, whose data lies in memory. Rejects where there is no such place.
 *
 * @category getters
 * @since 0.1.0
 */
export const urlInMemory = async (): Promise<string> => {
  if (!Fs.existsSync(memory)) throw new Error(`this system has no ${memory}`)
  startedInMemory ??= Tooling.start(memory)
  return (await startedInMemory).url
}

/**
 * Stops what was started here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stop = async (): Promise<void> => {
  for (const server of [started, startedInMemory]) await (await server)?.stop()
}
