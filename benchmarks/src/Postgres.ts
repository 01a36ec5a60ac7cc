/**
 * The Postgres server for the measurements: that of `DATABASE_URL`, or one that is started when the first figure
 * needs it.
 */
import * as Tooling from "../../tooling/src/postgres.ts"
import * as Machine from "./Machine.ts"

type Started = Promise<{ readonly url: string; readonly stop: () => Promise<void> }>

let started: Started | undefined
let startedOnRamDisk: Started | undefined

/** Address of the server. It has default settings: every commit is flushed. */
export const url = async (): Promise<string> => {
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") return given
  started ??= Tooling.start()
  return (await started).url
}

/** Address of another server with the same settings, whose data are on a RAM disk. `undefined` if there is none. */
export const urlOnRamDisk = async (): Promise<string | undefined> => {
  const disk = Machine.ramDisk()
  if (disk === undefined) return undefined
  startedOnRamDisk ??= Tooling.start(disk)
  return (await startedOnRamDisk).url
}

/** Stops the servers that were started here. */
export const stop = async (): Promise<void> => {
  for (const server of [started, startedOnRamDisk]) await (await server)?.stop()
}
