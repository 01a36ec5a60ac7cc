/** Values that a contract declares as sensitive: in no byte of a trace, and in clear where they have to be. */

import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Run from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ReleaseCandidate from "../../release/src/ReleaseCandidate.ts"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Sealing from "../src/sealing/Sealing.ts"
import * as TenantKeys from "../src/sealing/TenantKeys.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

const open = (run: Run.Run = lab.trip) =>
  Effect.flatMap(Coordinator.Coordinator, (each) => each.open(run, { pack: sealed.pack, goal: "visa" }))

const work = (run?: Run.Run) => Effect.flatMap(open(run), (handle) => Agent.run(handle))

const process = (place: Effect.Success<typeof sealed.place>, office: sealed.Office) =>
  lab.process(place.services, { executor: ToolExecutor.fromTools(office.tools), steps: sealed.script })

const spellings = (text: string): ReadonlyArray<string> => [
  text,
  Buffer.from(text).toString("base64").replace(/=+$/, ""),
  Buffer.from(text).toString("hex")
]

const absent = (texts: ReadonlyArray<string>, values: ReadonlyArray<string> = [sealed.secretText, sealed.born]) => {
  for (const text of texts) for (const value of values.flatMap(spellings)) assert.notInclude(text, value)
}

describe("Sealing", () => {
  it.effect("leaves no sensitive value in any text of a store, and gives tools what they need", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      const outcome = yield* lab.as(process(place, office))(lab.elapsing(work()))
      assert.strictEqual(outcome?._tag, "Done")
      assert.deepStrictEqual(office.seen, [sealed.secretText])
      const texts = yield* sealed.texts(place.store)
      assert.isAtLeast(texts.flatMap(SealedValue.commitmentsIn).length, 8)
      absent(texts)
    })
  )

  it.effect("leaves none in the card of an approval, whatever differs or has moved (decision 0071)", () =>
    Effect.gen(function* () {
      const { transitions } = sealed.definition
      const definition: object = {
        ...sealed.definition,
        approvals: { apply: { by: ["manager"] } },
        transitions: {
          ...transitions,
          apply: {
            required_state: { "working.noted": sealed.definition.state.working.noted },
            hash_seeds: ["working.noted"]
          }
        }
      }
      const careful = Result.getOrThrow(TaskPack.make(definition as Definition))
      const place = yield* sealed.place
      const cards = yield* lab.as(process(place, new sealed.Office()))(
        Effect.gen(function* () {
          const handle = yield* (yield* Coordinator.Coordinator).open(lab.trip, { pack: careful, goal: "visa" })
          const notes = (passport: string) =>
            handle.propose({ type: "observation.add", data: { traveller: "ada", passport, text: "noted" } })
          const apply = (passport: string) =>
            handle.propose({ tool: "apply", params: { traveller: "ada", passport, born: sealed.born } })
          yield* notes(sealed.secretText)
          const parked = yield* apply("Y1111111")
          const review = parked._tag === "Parked" ? parked.review : ""
          const data = { review, verdict: "approved", by: "Grace", role: "manager" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          yield* apply(sealed.secretText)
          yield* notes("Y2222222")
          yield* handle.flush
          return yield* PendingApprovals.ofTenant(lab.trip.tenant)
        })
      )
      const [card] = cards
      assert.deepStrictEqual([cards.length, card?.changed.length, card?.moved.length], [1, 1, 1])
      assert.isNotEmpty(SealedValue.commitmentsIn(JSON.stringify(card?.params)))
      absent([JSON.stringify(cards)], [sealed.secretText, sealed.born, "Y1111111", "Y2222222"])
    })
  )

  it.effect("commits alike to equal values of one run, whoever wrote them, and differently in another run", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      const two = Run.make("trip2")
      const commitments = Effect.fnUntraced(function* (run: Run.Run) {
        const history = yield* History.History
        yield* lab.elapsing(work(run))
        const { state } = yield* history.at(run, (yield* history.info(run)).head.tick)
        const { noted } = state.working as { readonly noted: SealedValue.SealedValue }
        const texts = (yield* history.transitions(run)).map(({ body }) => JSON.stringify(body))
        const all = new Set(texts.flatMap(SealedValue.commitmentsIn))
        assert.isTrue(all.has(noted.$sealed))
        // A passport and a day of birth, however often they were said, and what two answers had beside that.
        assert.strictEqual(all.size, 4, texts.join("\n"))
        return [...all]
      })
      const found = [
        yield* lab.as(process(place, office))(commitments(lab.trip)),
        yield* lab.as(process(place, office))(commitments(two))
      ]
      assert.deepStrictEqual(
        found[0]?.filter((each) => found[1]?.includes(each)),
        []
      )
    })
  )

  it.effect("recognises an act in another run of its goal by a digest that only the subject's key can make", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      yield* lab.as(process(place, office))(lab.elapsing(work()))
      yield* lab.as(process(place, office))(lab.elapsing(work(Run.make("trip2"))))
      assert.strictEqual(office.visas.size, 1)
      assert.deepStrictEqual(office.seen, [sealed.secretText, `status ${sealed.secretText}`])
    })
  )

  it.effect("decides by facts that were committed in clear", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const outcome = yield* lab.as(process(place, new sealed.Office()))(
        lab.elapsing(
          Effect.flatMap(open(), (handle) =>
            handle.propose({
              tool: "apply",
              params: { traveller: "ben", passport: "Y1", born: "2015-01-01" }
            })
          )
        )
      )
      assert.deepInclude(outcome, { _tag: "Refused" })
      assert.include(Wording.why(outcome), "adults")
      const texts = yield* sealed.texts(place.store)
      assert.isTrue(texts.some((text) => text.includes('"facts":{"adult":false}')))
      absent(texts, ["2015-01-01", '"Y1"'])
    })
  )

  it.effect("seals a provider's whole answer about an action, and keeps its code", () =>
    Effect.gen(function* () {
      for (const [trouble, said, kept] of [
        [{ refuses: true }, { code: "invalid", why: `X-765 4321 of ${sealed.born}` }, '"code":"invalid","written":{'],
        [{ silent: 1 }, "no answer about X-765 4321", '"code":"answer.sealed"']
      ] as const) {
        const place = yield* sealed.place
        const office = Object.assign(new sealed.Office(), trouble)
        yield* lab.as(process(place, office))(lab.elapsing(work()))
        const texts = yield* sealed.texts(place.store)
        absent(texts, [sealed.secretText, sealed.born, "X-765", "765 4321"])
        assert.isTrue(
          texts.some((text) => text.includes(kept)),
          kept
        )
        // Whoever has the key has all of it.
        const opening = Effect.flatMap(Sealing.Sealing, (each) =>
          each.open(lab.trip.tenant, texts.flatMap(SealedValue.commitmentsIn))
        )
        const opened = [...(yield* Effect.provide(opening, place.services)).values()]
        assert.deepInclude(
          opened.map(({ value }) => value),
          said
        )
      }
    })
  )

  it.effect("shows nothing of a value that is one letter, or that a proposer repeats as a whole or in its names", () =>
    Effect.gen(function* () {
      for (const passport of ["a", "Q"]) {
        const place = yield* sealed.place
        const office = Object.assign(new sealed.Office(), { refuses: true })
        yield* lab.as(process(place, office))(
          lab.elapsing(
            Effect.flatMap(open(), (handle) =>
              handle.propose({
                tool: "apply",
                params: { traveller: "anna", passport, born: sealed.born },
                description: passport,
                uncertainty: "whether the passport of anna is a",
                dependsOn: ["adult", "world.visas.Q"]
              })
            )
          )
        )
        const texts = yield* sealed.texts(place.store)
        const [asked] = texts.filter((text) => text.includes('"dependsOn"'))
        assert.include(asked, '"dependsOn":["adult","[sealed]"]')
        assert.include(asked, '"description":"[sealed]"')
        assert.include(asked, '"uncertainty":"[sealed]"')
        for (const text of texts) {
          assert.notMatch(text, /object Object|[a-z]\[sealed\]|\[sealed\][a-z]|visas\.Q/)
        }
      }
    })
  )

  it.effect("seals the undeclared fields of an answer, and keeps no field that belongs to several subjects", () =>
    Effect.gen(function* () {
      const tools = (said: object): ToolExecutor.Tools => ({
        meet: { execute: () => ({ id: "m1", ...said }) as never }
      })
      const passport = { type: "string", sensitive: { subject: "args.one" } } as const
      const other = { type: "string", sensitive: { subject: "args.two" } } as const
      const packOf = (input: object) =>
        Result.getOrThrow(
          TaskPack.make({
            pack: "acme.meetings",
            version: "1.0.0",
            tools: { meet: { class: "read_only", input: { one: "string", ...input }, output: { id: "string" } } }
          })
        )
      const [alone, both] = [packOf({ a: passport }), packOf({ two: "string", a: passport, b: other })]
      const [one, two] = [
        { one: "anna", a: "X1" },
        { one: "anna", two: "ben", a: "X1", b: "Y1" }
      ]
      const said = { remark: "ANNA: x 1", X1: true }
      for (const [pack, params, kept] of [
        [alone, one, /"output":\{"\$undeclared":\{"\$sealed":"[0-9a-f]{64}"\},"id":"m1"\}/],
        [both, two, /"output":\{"\$undeclared":"\[sealed\]","id":"m1"\}/]
      ] as const) {
        const place = yield* sealed.place
        const services = lab.process(place.services, { executor: ToolExecutor.fromTools(tools(said)), steps: [] })
        const outcome = yield* lab.as(services)(
          lab.elapsing(
            Effect.flatMap(Coordinator.Coordinator, (each) =>
              Effect.flatMap(each.open(lab.trip, { pack, goal: "visa" }), (handle) =>
                Effect.tap(handle.propose({ tool: "meet", params }), () => handle.flush)
              )
            )
          )
        )
        assert.strictEqual(outcome._tag, "Done")
        const texts = (yield* sealed.texts(place.store)).filter((text) => !text.includes('"run.started"'))
        assert.match(texts.join("\n"), kept)
        absent(texts, ["X1", "x 1", "remark"])
      }
    })
  )

  it.effect("shows a planner the values that its contract permits, and nothing else", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const seen: Array<string> = []
      const steps = sealed.script.map(({ id, propose }) => ({
        id,
        propose: (view: object) => {
          seen.push(JSON.stringify(view))
          return typeof propose === "function" ? propose(view as never) : propose
        }
      }))
      const office = new sealed.Office()
      const executor = ToolExecutor.fromTools(office.tools)
      yield* lab.as(lab.process(place.services, { executor, steps }))(lab.elapsing(work()))
      assert.include(seen[1], sealed.secretText)
      absent(seen, [sealed.born])
    })
  )

  it.effect("reads a sealed value of its own run as the value it stands for, and refuses any other", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      const propose = (run: Run.Run, passport: { readonly $sealed: string }) =>
        Effect.flatMap(open(run), (handle) =>
          handle.propose({ tool: "apply", params: { traveller: "anna", passport, born: sealed.born } })
        )
      yield* lab.as(process(place, office))(
        lab.elapsing(
          Effect.gen(function* () {
            const handle = yield* open()
            yield* handle.propose({ tool: "find", params: { traveller: "anna" } })
            yield* handle.flush
            const texts = yield* sealed.texts(place.store)
            const [, $sealed = ""] = /"passport":\{"\$sealed":"(\w+)"/.exec(texts.join()) ?? []
            const foreign = yield* propose(Run.make("trip2"), { $sealed })
            assert.deepInclude(foreign, { _tag: "Refused", tick: undefined })
            const unknown = yield* propose(lab.trip, { $sealed: "0".repeat(64) })
            assert.deepInclude(unknown, { _tag: "Refused", tick: undefined })
            assert.strictEqual((yield* propose(lab.trip, { $sealed }))._tag, "Done")
          })
        )
      )
      assert.deepStrictEqual(office.seen, [sealed.secretText])
    })
  )

  it.effect("marks a value that is not of its declared type, and reveals nothing of it", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const outcome = yield* lab.as(process(place, new sealed.Office()))(
        Effect.flatMap(open(), (handle) =>
          handle.propose({ tool: "apply", params: { traveller: "anna", passport: 7_654_321, born: sealed.born } })
        )
      )
      assert.deepInclude(outcome, { _tag: "Refused" })
      assert.include(JSON.stringify(outcome), "sealed_mismatch")
      absent([...(yield* sealed.texts(place.store)), JSON.stringify(outcome)], ["7654321"])
    })
  )

  it.effect("keeps no text of a tool or an argument that is misspelt", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const params = { traveller: "anna", passport: sealed.secretText, born: sealed.born }
      const { passport: _, ...rest } = params
      yield* lab.as(process(place, new sealed.Office()))(
        Effect.flatMap(open(), (handle) =>
          Effect.all([
            handle.propose({ tool: "aply", params }),
            handle.propose({ tool: "apply", params: { ...rest, pasport: sealed.secretText } })
          ])
        )
      )
      const texts = yield* sealed.texts(place.store)
      absent(texts)
      assert.isTrue(texts.some((text) => text.includes('"tool":"aply"')))
      assert.isTrue(texts.some((text) => text.includes('"pasport":"[sealed]"')))
    })
  )

  it.effect("refuses an identity that has no normal form, as it would in clear", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const outcome = yield* lab.as(process(place, new sealed.Office()))(
        Effect.flatMap(open(), (handle) =>
          handle.propose({ tool: "apply", params: { traveller: "anna", passport: "---", born: sealed.born } })
        )
      )
      assert.deepInclude(outcome, { _tag: "Refused" })
      assert.include(JSON.stringify(outcome), "sealed_mismatch")
    })
  )

  it.effect("begins no run with sensitive values in clear", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const initial = { world: { visas: Table.empty }, working: { noted: sealed.secretText, adult: true } }
      const begun = Effect.flatMap(Coordinator.Coordinator, (each) =>
        each.begin(lab.trip, { pack: sealed.pack, goal: "visa", initial })
      )
      const error = yield* Effect.flip(lab.as(process(place, new sealed.Office()))(begun))
      assert.deepInclude(error, { _tag: "BeginsInClear", fields: ["working.noted"] })
      absent([...(yield* sealed.texts(place.store)), String((error as Error).message)])
    })
  )

  it.effect("lets recorded runs be played against the gates, with all sealed values closed", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* lab.as(process(place, new sealed.Office()))(lab.elapsing(work()))
      const bare = lab.process(Layer.succeed(TraceStore.TraceStore, place.store), { steps: [] })
      const gated = yield* lab.as(bare)(
        lab.elapsing(
          Effect.flatMap(TraceStore.TraceStore, (each) =>
            Effect.flatMap(each.runs(lab.trip.tenant), (runs) =>
              ReleaseCandidate.judge({ validate: () => undefined }, { secret: "secret", runs, actionsMin: 1 })
            )
          )
        )
      )
      const injected = gated.find(({ gate }) => gate === "failure_injection")
      // The contract does not say of which tenant a record has to be, and is told so.
      assert.deepInclude(injected, {
        examined: 6,
        against: ["wrong_tenant of apply (trip/a5) was taken for success"]
      })
    })
  )

  it.effect("refuses to commit in clear if there is no sealing key", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const executor = ToolExecutor.fromTools(new sealed.Office().tools)
      const error = yield* lab.as(lab.process(store, { executor, steps: sealed.script }))(
        Effect.flip(lab.elapsing(work()))
      )
      assert.instanceOf(error, Sealing.SealingUnavailable)
      assert.include(error.message, "In clear")
    })
  )

  it.effect("opens nothing and names no subject under another key of the tenant", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* lab.as(process(place, new sealed.Office()))(lab.elapsing(work()))
      const another = sealed.over(place.store, place.vault, TenantKeys.fromText("cd".repeat(32), "another"))
      const [commitment] = (yield* sealed.texts(place.store)).flatMap(SealedValue.commitmentsIn)
      const opening = Effect.flatMap(Sealing.Sealing, (each) => each.open(lab.trip.tenant, [commitment!]))
      const error = yield* Effect.flip(Effect.provide(opening, another))
      assert.instanceOf(error, Sealing.TenantKeyDiffers)
      // Nobody is taken for somebody of whom nothing is known.
      const naming = Effect.flatMap(Sealing.Sealing, (each) => each.subject(lab.trip.tenant, "anna"))
      assert.instanceOf(yield* Effect.flip(Effect.provide(naming, another)), Sealing.TenantKeyDiffers)
    })
  )

  it.effect("keeps the value of a commitment before the commitment is committed, wherever it crashes", () =>
    Effect.gen(function* () {
      for (let n = 1; ; n++) {
        const place = yield* sealed.place
        const office = new sealed.Office()
        const crash = lab.atPlace(n, () => Effect.die(new Error("crash")))
        const exit = yield* Effect.exit(crash(lab.as(process(place, office))(lab.elapsing(work()))))
        const texts = yield* sealed.texts(place.store)
        const named = [...new Set(texts.flatMap(SealedValue.commitmentsIn))]
        assert.strictEqual((yield* place.vault.get(lab.trip.tenant, named)).length, named.length, `at place ${n}`)
        absent(texts)
        if (exit._tag === "Success") {
          assert.isAbove(n, 10)
          break
        }
        yield* lab.as(process(place, office))(lab.elapsing(work()))
        assert.isAtMost(office.visas.size, 1)
        absent(yield* sealed.texts(place.store))
      }
    }).pipe(Effect.provideService(FaultPoint.FaultPoint, () => Effect.void))
  )
})
