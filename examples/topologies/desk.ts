/**
 * The desk on which every scenario works: a store, a press, and a process that may die.
 *
 * Arguments are the store and the run; `PRESS_URL` is the press. `DIE_AT=n` kills the process with SIGKILL at the n-th
 * place of the commit path that it reaches, and `CARELESS=1` asks for the same work without its medicine.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as FaultPoint from "@backstitch/runtime/FaultPoint"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

const [, , filename = "", id = ""] = process.argv
const url = process.env["PRESS_URL"] ?? ""
const dieAt = Number(process.env["DIE_AT"] ?? 0)

/** `true` for the scenario without its medicine. */
export const isCareless = process.env["CARELESS"] === "1"

/** Looks for a receipt by its key at the press. */
const find = async (key: string): Promise<Json | undefined> => {
  const response = await fetch(`${url}/${encodeURIComponent(key)}`)
  return response.status === 404 ? undefined : ((await response.json()) as Json)
}

const folder = dirname(filename)
const shelf = join(folder, "shelf.json")

/** Puts chapters on the shelf of the world, in the place of those that are there. */
export const putOnShelf = (chapters: ReadonlyArray<string>): void => writeFileSync(shelf, JSON.stringify(chapters))

/** Puts the first chapters on the shelf: a process that is started again finds it as it is. */
export const stockShelf = (chapters: ReadonlyArray<string>): void => {
  if (!existsSync(shelf)) putOnShelf(chapters)
}

/** Lets a role work in a process of its own. Its prints have a key, unless the scenario is careless. */
export const role = async (name: string, task: string, input: unknown, signal?: AbortSignal): Promise<Json> => {
  const args = [join(import.meta.dirname, "role.ts"), name, task, JSON.stringify(input)]
  const env = { ...process.env, FOLDER: folder, KEYED: isCareless ? "" : "1" }
  const child = spawn(process.execPath, args, { env, signal, stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString()
  })
  const [, killed] = (await once(child, "close")) as [number | null, string | null]
  if (killed !== null) throw new Error(`the process of ${name} was ended by ${killed}`)
  return JSON.parse(said) as Json
}

/** A role as an effect. An interrupt ends its process. */
export const as = (name: string, task: string, input: unknown): Effect.Effect<Json, unknown> =>
  Effect.tryPromise({ try: (signal) => role(name, task, input, signal), catch: (cause) => cause })

let reached = 0
process.on("exit", () => writeFileSync(join(folder, "places"), String(reached)))

/** Reaches a place at which this process may have to die, as the power would have it: nothing is written or closed. */
export const reach = (): void => {
  if (++reached === dieAt) process.kill(process.pid, "SIGKILL")
}

const tools = ToolExecutor.layerFrom({
  print_chapter: {
    execute: (params, { key = "" }) => role("printer", key, (params as { chapter: string }).chapter),
    status: ({ key = "" }) => find(key)
  },
  search_archive: { execute: (params) => role("archive", "", (params as { for: string }).for) }
})

const layers = Coordinator.layer({ secret: "the press" }).pipe(
  Layer.provideMerge(tools),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(SqlTraceStore.layerSqlite({ filename })),
  Layer.provideMerge(Layer.succeed(FaultPoint.FaultPoint, () => Effect.sync(reach)))
)

/** Opens the run under a pack of this folder, and settles what a crash has left open. */
export const open = Effect.fnUntraced(function* (file: string) {
  const pack = yield* PackFile.load(new URL(file, import.meta.url).pathname)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(Run.make(id), { pack, goal: "print the book" })
  yield* handle.resume
  return { handle, declared: pack.topology ?? { kind: "react" as const, agents: {}, order: [] } }
})

/** Works, and prints what it came to as one line of JSON. */
export const work = <A, E>(scenario: Effect.Effect<A, E, Layer.Success<typeof layers> | Scope.Scope>): Promise<void> =>
  Effect.runPromise(
    scenario.pipe(
      Effect.map((ended) => console.log(JSON.stringify(ended))),
      Effect.scoped,
      Effect.provide(layers)
    )
  )
