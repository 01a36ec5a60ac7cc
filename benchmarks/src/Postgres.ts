/**
 * The Postgres that is measured: the server of `DATABASE_URL`, or one that is started when the first figure needs it.
 *
 * @since 0.1.0
 */
import * as Tooling from "../../tooling/src/postgres.ts"

let started: Promise<{ readonly url: string; readonly stop: () => Promise<void> }> | undefined

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
 * Stops the server if it was started here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stop = async (): Promise<void> => {
  await (await started)?.stop()
}
