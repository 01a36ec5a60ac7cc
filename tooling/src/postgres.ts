/**
 * A real Postgres for the tests of one run, from npm.
 *
 * Vitest calls this once before the first test. If `DATABASE_URL` is set, that server is used. Otherwise a server is
 * started on a free port with a data folder of its own, which is removed at the end, so that parallel runs do not
 * interfere. Tests read the address from `BACKSTITCH_TEST_POSTGRES` and use a schema each. If no test file of a run
 * names that variable, no server is started.
 */
import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { TestProject } from "vitest/node"

const variable = "BACKSTITCH_TEST_POSTGRES"

/** Starts the server if a test of this run needs it, and answers how to stop it. */
export const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  if (!(await mentions(project, variable))) return undefined
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") {
    process.env[variable] = given
    return undefined
  }
  const { stop, url } = await start()
  process.env[variable] = url
  return stop
}

/** A server: its address, how to stop it, and how to end it by a signal and start it again after a time. */
export interface Started {
  readonly url: string
  readonly stop: () => Promise<void>
  readonly restart: (signal: "SIGINT" | "SIGKILL", downMillis: number) => Promise<void>
}

/**
 * Starts a server in a separate process, which ends at the latest with this one. Its data are in the temporary
 * folder, or in the given one.
 */
export const start = (folder = Os.tmpdir()): Promise<Started> => {
  const script = Path.join(import.meta.dirname, "postgresServer.ts")
  const child = ChildProcess.spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "pipe"] })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return new Promise((resolve, reject) => {
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.stdout.once("data", (line: Buffer) =>
      resolve({
        url: line.toString().trim(),
        stop: () => {
          child.stdin.end()
          return ended
        },
        restart: (signal, downMillis) => {
          const again = new Promise<void>((done) => child.stdout.once("data", () => done()))
          child.stdin.write(`${signal} ${downMillis}\n`)
          return Promise.race([again, ended.then(() => Promise.reject(new Error(errors)))])
        }
      })
    )
    child.once("error", reject)
    void ended.then(() => reject(new Error(errors)))
  })
}

/** Tells whether a test file of this run contains a text, such as the name of a variable. */
export const mentions = async (project: TestProject, text: string): Promise<boolean> => {
  const given = process.argv.slice(2).filter((word) => word !== "run" && word !== "watch" && word !== "dev")
  // If the words include options, it is unclear which words are file filters. Then all files count.
  const filters = given.some((word) => word.startsWith("-")) ? [] : given
  const { testFiles } = await project.globTestFiles(filters)
  return testFiles.some((file) => Fs.readFileSync(file, "utf8").includes(text))
}
