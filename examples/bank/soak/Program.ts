/** Starts processes for a trial: the bank, and the command line of Backstitch on a store. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** Files and addresses that the processes of a trial share. */
export interface Place {
  /** The file with which the program begins. */
  readonly program: string
  /** A folder of the trial. */
  readonly folder: string
  /** A file, or a `postgres://` address. */
  readonly store: string
  readonly tenant: string
  readonly bank: string
  readonly errand: "pay" | "more"
}

/** Faults of one process: leaps of its clock, or the size that its files may have, in KiB. */
export interface Fate {
  readonly leaps?: string | undefined
  readonly fileKiB?: number | undefined
}

/** The end of a process. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The agent that every trial runs. */
export const agent = join(import.meta.dirname, "../agent.ts")

/** Starts the program with the given arguments. */
export const start = (place: Place, words: ReadonlyArray<string>, { fileKiB, leaps }: Fate = {}) => {
  const leap = leaps === undefined ? [] : ["--import", join(import.meta.dirname, "leap.ts")]
  const line = [process.execPath, ...leap, place.program, ...words, "--store", place.store, "--tenant", place.tenant]
  // A signal that is ignored before the program begins stays ignored: a write beyond the limit fails, and the process
  // goes on.
  const limited = ["-c", `trap '' XFSZ; ulimit -f ${fileKiB}; exec "$@"`, "bash", ...line]
  const [command = "", ...rest] = fileKiB === undefined ? line : ["bash", ...limited]
  const child = spawn(command, rest, {
    cwd: place.folder,
    env: {
      ...process.env,
      BACKSTITCH_SECRET: "the household",
      BANK_ERRAND: place.errand,
      BANK_LEAPS: leaps ?? "",
      BANK_URL: place.bank,
      NO_COLOR: "1"
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  return { child, ended: ending(child) }
}

const ending = async (child: ChildProcess): Promise<Ended> => {
  let [out, err] = ["", ""]
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString()
  })
  const [code] = (await once(child, "close")) as [number | null]
  return { code, err, out }
}

/** Runs the program until it ends, which has to happen within a minute. */
export const run = async (place: Place, words: ReadonlyArray<string>): Promise<Ended> => {
  const { child, ended } = start(place, words)
  const limit = setTimeout(() => child.kill("SIGKILL"), 60_000)
  try {
    return await ended
  } finally {
    clearTimeout(limit)
  }
}

/** Runs the program and reads its one document. */
export const read = async (place: Place, words: ReadonlyArray<string>): Promise<unknown> => {
  const { code, err, out } = await run(place, [...words, "--json"])
  try {
    return JSON.parse(out)
  } catch {
    throw new Error(
      `${words.join(" ")} printed no document (exit code ${code}): ${out.slice(0, 500)}${err.slice(0, 500)}`
    )
  }
}

/** A bank that runs in a process of its own. It ends at the latest when this process ends. */
export const bank = async (db: string, seed: number) => {
  const main = join(import.meta.dirname, "../world/main.ts")
  const child = spawn(process.execPath, [main, "--db", db, "--seed", String(seed)], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
  const { url } = JSON.parse(line) as { readonly url: string }
  return {
    url,
    trouble: async (probability: number): Promise<void> => {
      await fetch(`${url}/trouble`, { body: JSON.stringify({ probability }), method: "PUT" })
    },
    books: async (): Promise<import("../world/Books.ts").Everything> =>
      (await (await fetch(`${url}/books`)).json()) as never,
    stop: async (): Promise<void> => {
      child.stdin.end()
      await once(child, "close")
    }
  }
}

/** A running bank. */
export type Bank = Awaited<ReturnType<typeof bank>>
