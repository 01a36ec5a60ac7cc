/** The payment service of a test, and processes of agents. */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** A charge as the service has it. */
export interface Charge {
  readonly id: number
  readonly order: string
  readonly amount: number
}

/** A payment service that runs. */
export interface Payments {
  readonly url: string
  /** Makes the service commit and not answer, or answer again. */
  readonly silence: (is: boolean) => void
  /** The charges in the database of the service. */
  readonly charges: () => ReadonlyArray<Charge>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a process of this folder. */
export const start = (script: string, ...words: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [join(import.meta.dirname, script), ...words], { stdio: ["pipe", "pipe", "inherit"] })

/** Resolves with the first line that a process writes. */
export const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once("exit", (code) => reject(new Error(`the process ended with ${code}`)))
  })

/** Resolves with everything that a process has written, once it has ended. */
export const output = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once("close", () => resolve(text))
  })

/** Starts the service. */
export const payments = async (folder: string): Promise<Payments> => {
  const child = start("payments.ts", folder)
  const url = await firstLine(child)
  const database = new DatabaseSync(join(folder, "payments.db"), { readOnly: true })
  return {
    url,
    silence: (is) => (is ? writeFileSync(join(folder, "silent"), "") : rmSync(join(folder, "silent"), { force: true })),
    charges: () =>
      database
        .prepare("select id, ordered as 'order', amount from charge order by id")
        .all() as unknown as Array<Charge>,
    [Symbol.asyncDispose]: async () => {
      database.close()
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.stdin?.end()
      await ended
    }
  }
}
