import * as ChildProcess from "node:child_process"
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Effect from "effect/Effect"

/** The name of a file in a folder that is removed with the scope. */
export const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-sql-"))),
    (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => Path.join(folder, "traces.db")
)

/** The address of the server that the test run has started, or was given. */
export const postgresUrl = (): string => {
  const url = process.env["BACKSTITCH_TEST_POSTGRES"]
  if (url === undefined) throw new Error("no Postgres was started for this run: see tooling/src/postgres.ts")
  return url
}

/** A schema that nobody else has. */
export const freshSchema = Effect.sync(() => `test_${Crypto.randomBytes(8).toString("hex")}`)

/** A process of its own, and what it has written so far. It does not outlive the scope. */
export const startProcess = (script: string, ...words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = ChildProcess.spawn(process.execPath, [
        Path.join(import.meta.dirname, "processes", script),
        ...words
      ])
      const written = { output: "", errors: "" }
      child.stdout.on("data", (chunk: Buffer) => {
        written.output += chunk.toString()
      })
      child.stderr.on("data", (chunk: Buffer) => {
        written.errors += chunk.toString()
      })
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
      /** Resolves once enough was written, and rejects if the process ends before that. */
      const until = (isEnough: (output: string) => boolean) =>
        Effect.promise(() =>
          Promise.race([
            new Promise<void>((resolve) => {
              const look = () => isEnough(written.output) && resolve()
              child.stdout.on("data", look)
              look()
            }),
            ended.then(() => {
              if (!isEnough(written.output)) throw new Error(`${script} ended early. ${written.errors}`)
            })
          ])
        )
      return { child, ended: Effect.promise(() => ended), until, written }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
