/** A contract with sensitive values everywhere that they can be, and a world that sees them in clear. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Vault from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Sealing from "../src/sealing/Sealing.ts"
import * as TenantKeys from "../src/sealing/TenantKeys.ts"
import * as lab from "./lab.ts"

const subject = "args.traveller"
const passport = { type: "string", nullable: true, sensitive: { subject } } as const

export const definition = {
  pack: "acme.borders",
  version: "1.0.0",
  state: {
    world: { visas: { table: { key: "id", row: { passport, born: { ...passport } } } } },
    working: { noted: passport, adult: "bool" }
  },
  transitions: { "observation.add": { data: { traveller: "string", passport, text: "string" } } },
  tools: {
    find: {
      class: "read_only",
      input: { traveller: "string" },
      output: { passport: { type: "string", sensitive: { subject, planner: true } }, status: "string" }
    },
    apply: {
      class: "high_risk_external",
      input: {
        traveller: "string",
        passport: { type: "string", sensitive: { subject } },
        born: { type: "string", sensitive: { subject, facts: { adult: "value < '2008'" } } }
      },
      output: { id: "string", passport: { type: "string", sensitive: { subject } } },
      target: "'visa/' + args.traveller",
      identity: { scope: "goal", fields: [{ passport: "code" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
      status: "by_key",
      readback: { source: "office", expect: ["actual.passport == args.passport"], within: "2s" },
      undo: "X",
      on_reconciled: [
        { put: { table: "world.visas", key: "actual.id", row: { passport: "actual.passport", born: "args.born" } } }
      ]
    }
  },
  guards: [{ id: "adults", on: "apply", refuse_if: "args.born.facts.adult != true" }],
  reducers: { on: { "observation.add": [{ set: { field: "working.noted", value: "args.passport" } }] } }
} as const

export const pack = Result.getOrThrow(TaskPack.make(definition))

export const secretText = "X7654321"
export const born = "1990-03-14"

/** A provider writes it as it likes. */
const spelt = (passport: string): string => passport.replace(/^(.)(...)(.+)$/, "$1-$2 $3")

/** An office that repeats what it was given wherever it can. */
export class Office {
  readonly visas = new Map<string, JsonObject>()
  readonly seen: Array<string> = []
  refuses = false
  silent = 0

  get tools(): ToolExecutor.Tools {
    return {
      find: { execute: () => ({ passport: secretText, status: "known", remark: `passport ${secretText}` }) },
      apply: {
        execute: ({ born, passport }: { readonly born: string; readonly passport: string }, { key = "" }) => {
          this.seen.push(passport)
          if (this.refuses)
            throw new ToolExecutor.ToolRefused({ code: "invalid", why: `${spelt(passport)} of ${born}` })
          this.visas.set(key, { id: `v${this.visas.size + 1}`, passport, born, holder: { document: passport } })
          if (this.silent-- > 0) throw new Error(`no answer about ${spelt(passport)}`)
          return this.visas.get(key)!
        },
        status: async ({ key = "" }, { passport }: { readonly passport: string }) => {
          this.seen.push(`status ${passport}`)
          return this.visas.get(key)
        },
        readback: async ({ key = "" }) => this.visas.get(key)
      }
    }
  }
}

/** A store, a vault and a key that outlive the processes on them. */
export const place = Effect.gen(function* () {
  const store = yield* TraceStore.makeMemory
  const vault = yield* Vault.makeMemory
  const keys = TenantKeys.fromText("ab".repeat(32), "the test")
  return {
    store,
    vault,
    services: over(store, vault, keys)
  }
})

/** Services over a store. */
export const over = (
  store: TraceStore.TraceStore["Service"],
  vault: Vault.Vault["Service"],
  keys: TenantKeys.TenantKeys["Service"]
) =>
  Sealing.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(Vault.Vault, vault),
        Layer.succeed(TenantKeys.TenantKeys, keys),
        Layer.succeed(TraceStore.TraceStore, store)
      )
    )
  )

export const script: ReadonlyArray<Planner.ScriptStep> = [
  { id: "find", propose: { tool: "find", params: { traveller: "anna" } } },
  { id: "note", propose: { type: "observation.add", data: { traveller: "anna", passport: secretText, text: "seen" } } },
  {
    id: "apply",
    propose: {
      tool: "apply",
      params: { traveller: "anna", passport: secretText, born },
      description: `apply for ${secretText}`
    }
  },
  { id: "done", propose: { type: "goal.complete" } }
]

/** Every text of a store that a run has left. */
export const texts = (store: TraceStore.TraceStore["Service"]) =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const { run } of yield* store.runs(lab.trip.tenant)) {
      const rows = yield* store.read(run, { from: 1 })
      found.push(...rows.flatMap(({ body, envelope, stamp }) => [body, stamp, envelope]))
      for (const tick of yield* store.snapshotTicks(run)) {
        found.push((yield* store.nearestSnapshot(run, tick))?.text ?? "")
      }
    }
    return found
  })
