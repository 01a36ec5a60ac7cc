/** A bank with two accounts, and conversations about it: small enough to check by hand. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "test.bank",
    version: "1.0.0",
    state: {
      world: {
        accounts: { table: { key: "name", row: { balance: "int" } } },
        transfers: { table: { key: "name", row: { count: "int" } } }
      }
    },
    tools: {
      balance: {
        class: "read_only",
        input: { of: "string" },
        model: ({ args, world }) => ({ output: world.accounts.get(args.of) ?? "Error: no such account" })
      },
      transfer: {
        class: "critical_mutation",
        input: { from: "string", to: "string", amount: "int" },
        identity: "none",
        model: ({ args, world }) => {
          const from = world.accounts.get(args.from)
          const to = world.accounts.get(args.to)
          if (from === undefined || to === undefined) return { output: "Error: no such account" }
          const count = (world.transfers.get(args.from)?.count ?? 0) + 1
          return {
            output: `moved ${args.amount}`,
            world: {
              accounts: world.accounts
                .set(args.from, { balance: from.balance - args.amount })
                .set(args.to, { balance: to.balance + args.amount }),
              transfers: world.transfers.set(args.from, { count })
            }
          }
        }
      }
    },
    violations: [{ id: "overdrawn", each: "world.accounts", when: "row.balance < 0" }]
  })
)

type Message = Readonly<Record<string, unknown>>

export const user = (content: string): Message => ({ role: "user", content })

export const says = (content: string): Message => ({ role: "assistant", content })

export const calls = (id: string, name: string, args: object): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }]
})

export const answers = (id: string, content: string | null): Message => ({ role: "tool", tool_call_id: id, content })

const move = (amount: number, from = "ada", to = "bob") => ({ from, to, amount })

/** Overdraws at the second transfer, repeats an id, fails once, and leaves a call open. */
export const overdraft = {
  task_id: 7,
  trial: 0,
  traj: [
    user("pay"),
    calls("x", "balance", { of: "ada" }),
    answers("x", '{"balance": 100}'),
    calls("x", "transfer", move(80)),
    answers("x", "moved 80"),
    calls("y", "transfer", move(80)),
    answers("y", "moved 80"),
    calls("z", "transfer", move(1, "eve")),
    answers("z", "Error: no such account"),
    calls("w", "balance", { of: "bob" }),
    answers("w", '{"balance": 999}'),
    calls("v", "transfer", move(1)),
    says("done")
  ]
}

export const harmless = { task_id: 8, trial: 0, traj: [user("hello"), says("hi")] }

/** A folder with the database and a file of runs, for as long as `use` runs. */
export const inFolder = <A, E, R>(
  lines: ReadonlyArray<unknown>,
  use: (files: { readonly folder: string; readonly runs: string; readonly zipped: string }) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "backstitch-import-"))
      const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")
      const db = join(folder, "db")
      mkdirSync(db)
      writeFileSync(join(folder, "runs.jsonl"), text)
      writeFileSync(join(folder, "runs.zip"), gzipSync(text))
      writeFileSync(join(db, "accounts.json.gz"), gzipSync('{"ada": {"balance": 100}, "bob": {"balance": 5}}'))
      return folder
    }),
    (folder) => use({ folder, runs: join(folder, "runs.jsonl"), zipped: join(folder, "runs.zip") }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

/** Runs something with a file of this text. */
export const inFile = <A, E, R>(text: string, use: (file: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "backstitch-file-"))
      writeFileSync(join(folder, "file"), text)
      return folder
    }),
    (folder) => use(join(folder, "file")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
