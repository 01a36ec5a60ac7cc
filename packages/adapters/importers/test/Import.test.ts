import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as DecisionReplay from "@backstitch/runtime/DecisionReplay"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as OpenAiChat from "../src/formats/OpenAiChat.ts"
import * as Import from "../src/Import.ts"
import * as DataFolder from "../src/text/DataFolder.ts"
import { answers, calls, harmless, inFolder, overdraft, pack, user } from "./fixture.ts"

const layers = History.layer(Kernel.standard).pipe(
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)
const isolated = Effect.provide(layers, { local: true })

const transitions = Effect.fnUntraced(function* (id: string) {
  const store = yield* TraceStore.TraceStore
  return (yield* store.read(Run.make(id))).map(Transition.open)
})

const bytes = Effect.gen(function* () {
  const store = yield* TraceStore.TraceStore
  const runs = yield* store.runs(Run.Tenant.make("default"))
  const read = yield* Effect.forEach(runs, ({ run }) => store.read(run))
  return read.flat().map(({ body, envelope, link, stamp }) => [link, body, stamp, envelope].join("\n"))
})

describe("Import", () => {
  it.effect("brings nothing in clear under a contract with sensitive fields (decision 0028)", () =>
    inFolder([harmless], ({ runs }) =>
      Effect.gen(function* () {
        const name = { type: "string", sensitive: { subject: "args.name" } } as const
        const sensitive = TaskPack.make({
          pack: "acme.names",
          version: "1.0.0",
          tools: { look: { class: "read_only", input: { name }, output: {} } }
        })
        const given = { format: OpenAiChat.format, file: runs, pack: Result.getOrThrow(sensitive) }
        assert.strictEqual((yield* Effect.flip(Import.file(given)))._tag, "RecordedInClear")
        assert.deepStrictEqual(yield* bytes, [])
      }).pipe(isolated)
    )
  )

  it.effect("brings in recordings, and claims for none that a kernel decided it (decision 0045)", () =>
    inFolder([overdraft, harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data, prefix: "bank" })
        const store = yield* TraceStore.TraceStore
        const known = yield* store.runs(Run.Tenant.make("default"))
        assert.isNotEmpty(known)
        for (const { head, run } of known) {
          const { differs, obeyed, recorded, unrecorded } = yield* DecisionReplay.redecide(run)
          assert.deepStrictEqual([differs, obeyed, unrecorded, recorded], [[], 0, 0, head.tick])
        }
      }).pipe(isolated)
    )
  )

  it.effect("brings in all of a file or nothing of it, however far it was read", () =>
    inFolder([overdraft, harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        const store = yield* TraceStore.TraceStore
        const given = { format: OpenAiChat.format, file: runs, pack, data, prefix: "bank" }
        const blobs = [pack.digest]
        const isEmpty = Effect.gen(function* () {
          assert.deepStrictEqual(yield* store.runs(Run.Tenant.make("default")), [])
          assert.strictEqual((yield* store.getBlobs(blobs)).size, 0)
        })
        const broken = join(folder, "broken.jsonl")
        writeFileSync(broken, `${readFileSync(runs, "utf8").trimEnd()}\n{"traj":7}\n`)
        assert.strictEqual((yield* Effect.flip(Import.file({ ...given, file: broken })))._tag, "LineInvalid")
        yield* isEmpty
        for (const [limit, amount] of [
          ["transitions", 16],
          ["text", 500],
          ["line", 500],
          ["values", 20]
        ] as const) {
          const limits = { ...SourceFile.defaults, [limit]: amount }
          const within = Effect.provideService(SourceFile.Limits, limits)
          assert.deepInclude(yield* Effect.flip(within(Import.file(given))), { _tag: "LimitExceeded", limit })
          yield* isEmpty
        }
        // A run of another history under the second name: the first is not brought in either.
        writeFileSync(broken, JSON.stringify({ ...harmless, traj: [user("something else")] }))
        yield* Import.file({ ...given, file: broken })
        const before = yield* bytes
        assert.strictEqual((yield* Effect.flip(Import.file(given)))._tag, "RunDiffers")
        assert.deepStrictEqual(yield* bytes, before)
      })
    ).pipe(isolated)
  )

  it.effect("names impure functions, runs none whose text shows it, and brings the runs in (E18)", () =>
    inFolder([harmless], ({ runs }) =>
      Effect.gen(function* () {
        const impure = Result.getOrThrow(
          TaskPack.make(
            {
              pack: "test.impure",
              version: "1.0.0",
              state: { working: { at: "int" } },
              reducers: { on: { "message.sent": { function: "() => ({ working: { at: Date.now() } })" } } }
            } as never,
            { impure: "keep" }
          )
        )
        const report = yield* Import.file({ format: OpenAiChat.format, file: runs, pack: impure, prefix: "late" })
        assert.deepStrictEqual(
          report.impure.map(({ id }) => id),
          ["reducers.message.sent"]
        )
        const [first] = yield* transitions(report.runs[0]!.id)
        assert.lengthOf(first?.body.data?.["impure"] as ReadonlyArray<unknown>, 1)
        const { divergences, state } = yield* StrictReplay.of(Run.make(report.runs[0]!.id))
        assert.deepStrictEqual([divergences, state.working["at"]], [[], 0])
      })
    ).pipe(isolated)
  )

  it.effect("brings in a file with more runs than memory keeps, each of them made twice", () =>
    inFolder(
      Array.from({ length: 10 }, (_, trial) => ({ ...overdraft, trial, traj: [user("x".repeat(1 << 20))] })),
      ({ runs }) =>
        Effect.gen(function* () {
          const report = yield* Import.file({ format: OpenAiChat.format, file: runs, prefix: "big" })
          assert.deepInclude(report.totals, { runs: 10, messages: 10, present: 0 })
          const again = yield* Import.file({ format: OpenAiChat.format, file: runs, prefix: "big" })
          assert.deepInclude(again.totals, { runs: 10, present: 10 })
        })
    ).pipe(isolated)
  )

  it.effect("counts the content of the recording and the part that the pack explains", () =>
    inFolder([overdraft, harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        const report = yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data, prefix: "bank" })
        const accounts = "((('accounts', (('ada', (('balance', -60),)), ('bob', (('balance', 165),)))),))".slice(1, -1)
        assert.deepStrictEqual(report.runs[0], {
          id: "bank-7-0",
          messages: 13,
          toolCalls: 6,
          repeatedToolCallIds: true,
          outputsReproduced: 4,
          mutatingCalls: 4,
          stateChanges: 2,
          errors: 1,
          failedCalls: 1,
          lost: {},
          repeats: [],
          finalStateHash: createHash("sha256").update(accounts).digest("hex"),
          length: 15,
          present: false
        })
        assert.deepStrictEqual(report.totals, {
          runs: 2,
          messages: 15,
          toolCalls: 6,
          repeatedToolCallIds: 1,
          outputsReproduced: 4,
          mutatingCalls: 4,
          stateChanges: 2,
          errors: 1,
          failedCalls: 1,
          lost: {},
          repeats: 0,
          length: 18,
          present: 0
        })
      }).pipe(isolated)
    )
  )

  it.effect("names calls that were repeated after no answer, of tools that may change something", () => {
    const twice = (name: string, args: object) => [
      calls("p", name, args),
      answers("p", "timeout"),
      calls("p", name, args),
      calls("q", name, args)
    ]
    const transfer = { from: "ada", to: "bob", amount: 1 }
    const traj = [...twice("transfer", transfer), ...twice("balance", { of: "ada" })]
    return inFolder([{ task_id: 9, trial: 0, traj }], ({ runs }) =>
      Effect.gen(function* () {
        const given = { format: OpenAiChat.format, file: runs }
        const { runs: judged, totals } = yield* Import.file({ ...given, pack, prefix: "judged" })
        assert.deepStrictEqual(
          judged[0]?.repeats.map(({ action, after, basis, of, tick, tool }) => [tool, of, after, action, tick, basis]),
          [
            ["transfer", { action: "p", tick: 2 }, "timeout", "p#2", 4, "arguments"],
            ["transfer", { action: "p#2", tick: 4 }, "silence", "q", 5, "arguments"]
          ]
        )
        assert.strictEqual(totals.repeats, 2)
        const observed = yield* Import.file(given)
        assert.strictEqual(observed.totals.repeats, 4)
      }).pipe(isolated)
    )
  })

  it.effect("folds effects at the recorded result, at trust level 1, and reports none as reconciled", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data })
        const history = yield* History.History
        const trace = yield* transitions("run-7-0")
        const results = trace.filter(({ body }) => body.type === "action.result")
        assert.isTrue(results.every(({ body }) => body.result?.trust === 1 && body.result.basis === "recorded"))
        assert.isTrue(results.every(({ body }) => body.author === "kernel"))
        assert.isFalse(trace.some(({ body }) => body.type === "action.reconciled" || body.type === "action.verified"))
        const first = results[1]!.tick
        const balance = Effect.fnUntraced(function* (tick: number) {
          const { accounts } = (yield* history.at(Run.make("run-7-0"), tick)).state.world
          return Table.is(accounts) ? accounts.get("ada") : undefined
        })
        assert.deepStrictEqual(yield* balance(first - 1), { balance: 100 })
        assert.deepStrictEqual(yield* balance(first), { balance: 20 })
      }).pipe(isolated)
    )
  )

  it.effect("commits a violation together with the result that brought it about", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data: yield* DataFolder.read(folder) })
        const trace = yield* transitions("run-7-0")
        const at = trace.findIndex(({ body }) => body.type === "predicate.violation")
        const cause = trace[at - 1]!
        assert.deepStrictEqual(trace[at]!.body.data, { at: cause.tick, predicate: "overdrawn" })
        assert.strictEqual(cause.body.action?.id, "y")
        assert.strictEqual(cause.stamp.state, undefined)
        assert.isDefined(trace[at]!.stamp.state)
        assert.strictEqual(trace.filter(({ body }) => body.type === "predicate.violation").length, 1)
      }).pipe(isolated)
    )
  )

  it.effect("tells actions with the same id apart, and leaves an unanswered one open", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data: yield* DataFolder.read(folder) })
        const history = yield* History.History
        const trace = yield* transitions("run-7-0")
        const ids = (type: string) => trace.flatMap(({ body }) => (body.type === type ? [body.action?.id] : []))
        assert.deepStrictEqual(ids("action.request"), ["x", "x#2", "y", "z", "w", "v"])
        assert.deepStrictEqual(ids("action.result"), ["x", "x#2", "y", "z", "w"])
        const { state } = yield* history.at(Run.make("run-7-0"), trace.length)
        assert.deepStrictEqual(Object.keys(state.kernel["actions"] as object), ["v"])
      }).pipe(isolated)
    )
  )

  it.effect("gives the same bytes twice, from gzip too, on two stores (L2)", () =>
    inFolder([overdraft, harmless], ({ folder, runs, zipped }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        const into = (file: string) =>
          Effect.andThen(Import.file({ format: OpenAiChat.format, file, pack, data }), bytes).pipe(isolated)
        const once = yield* into(runs)
        assert.strictEqual(once.length, 18)
        assert.deepStrictEqual(yield* into(runs), once)
        assert.deepStrictEqual(yield* into(zipped), once)
      })
    )
  )

  it.effect("finds every run in place when it is repeated, and says so", () =>
    inFolder([overdraft, harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data })
        const before = yield* bytes
        const again = yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data })
        assert.strictEqual(again.totals.present, 2)
        assert.deepStrictEqual(yield* bytes, before)
      }).pipe(isolated)
    )
  )

  it.effect("goes on where an import was cut off", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        const whole = yield* Effect.andThen(
          Import.file({ format: OpenAiChat.format, file: runs, pack, data }),
          bytes
        ).pipe(isolated)
        const resumed = yield* Effect.gen(function* () {
          const store = yield* TraceStore.TraceStore
          const cut: TraceStore.TraceStore["Service"] = {
            ...store,
            append: (commit) => {
              const transitions = commit.transitions.slice(0, 4)
              return Effect.andThen(store.append({ ...commit, transitions }), Effect.die("cut off"))
            }
          }
          yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data }).pipe(
            Effect.provideService(TraceStore.TraceStore, cut),
            Effect.exit
          )
          assert.strictEqual((yield* bytes).length, 4)
          yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data })
          return yield* bytes
        }).pipe(isolated)
        assert.deepStrictEqual(resumed, whole)
      })
    )
  )

  it.effect("refuses a run that is in the store with another history, and names the tick", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data })
        const before = yield* bytes
        const other = { ...overdraft, traj: [user("pay now"), ...overdraft.traj.slice(1)] }
        const refused = yield* inFolder([other], (files) =>
          Effect.flip(Import.file({ format: OpenAiChat.format, file: files.runs, pack, data }))
        )
        assert.strictEqual(refused._tag, "RunDiffers")
        assert.match(refused.message, /run-7-0 is in the store already.*:1 gives.*another prefix/)
        assert.deepStrictEqual(yield* bytes, before)
      }).pipe(isolated)
    )
  )

  it.effect("names the file and line of a broken conversation, and keeps none of its runs", () =>
    inFolder([harmless, "", "{oops"], ({ folder, runs }) =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(
          Import.file({ format: OpenAiChat.format, file: runs, pack, data: yield* DataFolder.read(folder) })
        )
        assert.strictEqual(failed._tag, "LineInvalid")
        assert.match(failed.message, /runs\.jsonl:3: it is not JSON/)
        const store = yield* TraceStore.TraceStore
        assert.deepStrictEqual(yield* store.runs(Run.Tenant.make("default")), [])
      }).pipe(isolated)
    )
  )

  it.effect("records an anomaly if the pack does not allow a recorded effect, and changes nothing", () => {
    const broken = {
      traj: [calls("a", "transfer", { from: "ada", to: "bob", amount: 0.5 }), answers("a", "moved 0.5")]
    }
    return inFolder([broken], ({ folder, runs }) =>
      Effect.gen(function* () {
        const { totals } = yield* Import.file({
          format: OpenAiChat.format,
          file: runs,
          pack,
          data: yield* DataFolder.read(folder)
        })
        assert.strictEqual(totals.stateChanges, 0)
        const trace = yield* transitions("run-1")
        assert.strictEqual(trace.at(-1)?.body.type, "kernel.anomaly")
        assert.strictEqual(trace.at(-1)?.body.data?.["at"], 3)
      }).pipe(isolated)
    )
  })

  it.effect("gives runs of one task and trial names of their own", () =>
    inFolder([harmless, harmless, harmless.traj, { ...harmless, task_id: "ein Test/1" }], ({ folder, runs }) =>
      Effect.gen(function* () {
        const { runs: imported } = yield* Import.file({
          format: OpenAiChat.format,
          file: runs,
          pack,
          data: yield* DataFolder.read(folder)
        })
        assert.deepStrictEqual(
          imported.map(({ id }) => id),
          ["run-8-0", "run-8-0-2", "run-3", "run-ein_Test_1-0"]
        )
      }).pipe(isolated)
    )
  )

  it.effect("refuses a table that the pack does not declare", () =>
    inFolder([harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const { tables } = yield* DataFolder.read(folder)
        const data = { tables: { ...tables, loans: Table.empty } }
        const refused = yield* Effect.flip(Import.file({ format: OpenAiChat.format, file: runs, pack, data }))
        assert.match(refused.message, /loans, which the pack does not declare/)
      }).pipe(isolated)
    )
  )

  it.effect("shares one initial state between all runs", () =>
    inFolder([overdraft, harmless], ({ folder, runs }) =>
      Effect.gen(function* () {
        const data = yield* DataFolder.read(folder)
        const imported = yield* Stream.runCollect(Import.stream({ format: OpenAiChat.format, file: runs, pack, data }))
        const started = yield* Effect.forEach([...imported], ({ run }) => transitions(run.id))
        const initials = started.map(([first]) => first?.body.data?.["initial"])
        assert.strictEqual(new Set(initials).size, 1)
        assert.strictEqual(imported.length, 2)
      }).pipe(isolated)
    )
  )

  it.effect("tells one story of two recordings that did the same, and keeps beside it which text each came from", () =>
    inFolder([overdraft, { ...overdraft, trial: 1, note: "again" }], ({ folder, runs }) =>
      Effect.gen(function* () {
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data: yield* DataFolder.read(folder) })
        const store = yield* TraceStore.TraceStore
        const [left, right] = [yield* store.read(Run.make("run-7-0")), yield* store.read(Run.make("run-7-1"))]
        assert.deepStrictEqual(
          left.map(({ story }) => story),
          right.map(({ story }) => story)
        )
        const first = [left, right].map(([sealed]) => Transition.open(sealed!))
        assert.strictEqual(first[0]?.body.data?.["source"], OpenAiChat.format.name)
        assert.match(first[0]?.envelope.source ?? "", /^openai-chat [0-9a-f]{64}$/)
        assert.notStrictEqual(first[0]?.envelope.source, first[1]?.envelope.source)
      }).pipe(isolated)
    )
  )

  it.effect("writes traces that verify and replay without a divergence (L3)", () =>
    inFolder([overdraft], ({ folder, runs }) =>
      Effect.gen(function* () {
        yield* Import.file({ format: OpenAiChat.format, file: runs, pack, data: yield* DataFolder.read(folder) })
        const store = yield* TraceStore.TraceStore
        const run = Run.make("run-7-0")
        const verified = yield* StrictReplay.of(run)
        assert.strictEqual(verified.compared, 14)
        assert.deepStrictEqual(verified.divergences, [])
        const sealed = yield* store.read(run)
        const changed = sealed.map((each) =>
          each.tick === 5 ? { ...each, body: each.body.replace("80", "81") } : each
        )
        const broken = HashChain.verify(HashChain.genesis(run), changed)
        assert.strictEqual(Result.isFailure(broken) && broken.failure.tick, 5)
      }).pipe(isolated)
    )
  )
})
