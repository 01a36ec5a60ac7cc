/** Erasure: what is sealed of a person is gone, and every answer that a trace gave it gives as before. */
import { hash } from "node:crypto"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Vault from "@backstitch/trace/Vault"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Sealing from "../src/sealing/Sealing.ts"
import * as Cipher from "../src/sealing/sealingCipher.ts"
import * as SubjectErasure from "../src/vault/SubjectErasure.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as Diffing from "../src/versioning/Diffing.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

const two = Run.make("trip2")
const { tenant } = lab.trip
const said = { by: "Ada", reason: "request 311", as: "institution" } as const

const work = (run: Run.Run) =>
  Effect.flatMap(Coordinator.Coordinator, (each) =>
    Effect.flatMap(each.open(run, { pack: sealed.pack, goal: run.id }), (handle) => Agent.run(handle))
  )

const process = (place: Effect.Success<typeof sealed.place>, office = new sealed.Office()) =>
  Layer.merge(
    lab.process(place.services, { executor: ToolExecutor.fromTools(office.tools), steps: sealed.script }),
    place.services
  )

const worked = Effect.fnUntraced(function* (place: Effect.Success<typeof sealed.place>) {
  for (const run of [lab.trip, two]) yield* lab.as(process(place))(lab.elapsing(work(run)))
})

/** Ends a process once the record of an action was read, before its settlement is decided. */
const unread = Effect.provideService(FaultPoint.FaultPoint, (place) =>
  place === "readback/answered" ? Effect.die(new Error("crash")) : Effect.void
)

const erased = (wanted: Partial<SubjectErasure.ErasureScope>) =>
  Effect.flatMap(SubjectErasure.plan({ tenant, ...wanted }), (plan) => SubjectErasure.erase(plan, said))

/** Every answer that is made of the digests of a run, up to a tick. */
const answers = Effect.fnUntraced(function* (run: Run.Run, tick: number) {
  const store = yield* TraceStore.TraceStore
  return {
    digests: (yield* store.read(run, { from: 1, to: tick })).map(({ link, stamp, story }) => [link, story, stamp]),
    redecided: (yield* DecisionReplay.redecide(run, { secret: "secret" })).differs,
    onset: (yield* Bisecting.bisect(run, { predicate: "working.noted != null" })).onset,
    diff: (yield* Diffing.diff(run, two, { to: tick })).differences
  }
})

describe("SubjectErasure", () => {
  it.effect("erases a subject in all runs, and every digest and answer is as before (decision 0028)", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* worked(place)
      yield* lab.as(process(place))(
        Effect.gen(function* () {
          const history = yield* History.History
          const { head } = yield* history.info(lab.trip)
          const before = yield* answers(lab.trip, head.tick)
          assert.strictEqual(before.onset, 4)
          const plan = yield* SubjectErasure.plan({ tenant, subject: "anna" })
          assert.deepStrictEqual(
            plan.runs.map(({ run, values }) => [run.id, values.length]),
            [
              ["trip", 4],
              ["trip2", 4]
            ]
          )
          const { runs, unrecorded } = yield* SubjectErasure.erase(plan, said)
          assert.deepStrictEqual(unrecorded, [])
          assert.deepStrictEqual(runs[0], { run: "trip", tick: head.tick + 1, values: 4 })
          assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), [])
          assert.deepStrictEqual(yield* answers(lab.trip, head.tick), before)
          assert.isTrue((yield* RunVerification.verify(lab.trip)).consistent)
          const fork = yield* Forking.fork({ parent: lab.trip, at: head.tick - 2, child: Run.make("fork") })
          assert.isTrue((yield* RunVerification.verify(fork.run)).consistent)
          const [last] = yield* history.transitions(lab.trip, { from: head.tick + 1 })
          assert.deepInclude(last?.body, { type: "sealed.erased", author: "institution" })
          assert.notInclude(JSON.stringify(last), "anna")
        })
      )
    })
  )

  it.effect("erases in one run and leaves another alone, although the person is the same", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* worked(place)
      yield* lab.as(process(place))(
        Effect.gen(function* () {
          const { runs } = yield* erased({ subject: "anna", run: lab.trip })
          assert.deepStrictEqual(
            runs.map(({ run }) => run),
            ["trip"]
          )
          const sealing = yield* Sealing.Sealing
          const history = yield* History.History
          const open = Effect.fnUntraced(function* (run: Run.Run) {
            const texts = (yield* history.transitions(run)).map(({ body }) => JSON.stringify(body))
            return (yield* sealing.open(tenant, texts.flatMap(SealedValue.commitmentsIn))).size
          })
          assert.deepStrictEqual([yield* open(lab.trip), yield* open(two)], [0, 4])
        })
      )
    })
  )

  it.effect("erases nothing of another subject or another tenant (L15)", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* worked(place)
      yield* lab.as(process(place))(
        Effect.gen(function* () {
          const keys = yield* place.vault.keys(tenant, {})
          assert.deepInclude(yield* erased({ subject: "ben" }), { keys: 0, values: 0 })
          const other = Run.make("trip", "others").tenant
          assert.deepInclude(yield* erased({ tenant: other, subject: "anna" }), { keys: 0, values: 0 })
          assert.deepInclude(yield* erased({ tenant: other }), { keys: 0, values: 0 })
          assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), keys)
          assert.deepInclude(yield* erased({}), { keys: keys.length, values: 8 })
        })
      )
    })
  )

  it.effect("finishes an erasure that crashed between its record and the vault, and records it once", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* worked(place)
      yield* lab.as(process(place))(
        Effect.gen(function* () {
          const plan = yield* SubjectErasure.plan({ tenant, subject: "anna" })
          const crashed = SubjectErasure.erase({ ...plan, keys: [] }, said)
          assert.strictEqual((yield* crashed).runs.length, 2)
          const again = yield* erased({ subject: "anna" })
          assert.deepInclude(again, { keys: 2, values: 8, runs: [] })
          assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), [])
        })
      )
    })
  )

  it.effect("commits the erasure of values that were sealed after it was planned", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      yield* lab.as(process(place))(
        lab.elapsing(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(lab.trip, { pack: sealed.pack, goal: "visa" })
            const apply = (passport: string) =>
              handle.propose({ tool: "apply", params: { traveller: "anna", passport, born: sealed.born } })
            yield* apply("A1")
            const plan = yield* SubjectErasure.plan({ tenant, subject: "anna" })
            yield* apply("B2")
            const { runs, values } = yield* SubjectErasure.erase(plan, said)
            assert.deepStrictEqual([runs.length, values > plan.values], [2, true])
            const { erased, named } = yield* SubjectErasure.commitmentsOf(lab.trip)
            assert.deepStrictEqual([...erased].sort(), [...named].sort())
          })
        )
      )
    })
  )

  it.effect("finishes an erasure that the vault did not finish, and for which it has no keys any more", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const asked: Array<ReadonlyArray<string>> = []
      const stopped = Vault.Vault.of({
        ...place.vault,
        isStopped: () => Effect.succeed(asked.length === 0),
        erase: (_, keys) => Effect.sync(() => void asked.push(keys))
      })
      yield* lab.as(process(place))(
        Effect.gen(function* () {
          const plan = yield* SubjectErasure.plan({ tenant, subject: "anna" })
          assert.deepInclude(plan, { keys: [], isStopped: true })
          yield* SubjectErasure.erase(plan, said)
          assert.deepStrictEqual(asked, [[]])
          assert.isFalse((yield* SubjectErasure.plan({ tenant, subject: "anna" })).isStopped)
        }).pipe(Effect.provideService(Vault.Vault, stopped))
      )
    })
  )

  it.effect("stops an action that still needs an erased value, with an error that names it", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      office.silent = 1
      yield* Effect.exit(unread(lab.as(process(place, office))(lab.elapsing(work(lab.trip)))))
      assert.strictEqual(office.visas.size, 1)
      yield* lab.as(process(place, office))(
        Effect.gen(function* () {
          yield* erased({ subject: "anna" })
          const error = yield* Effect.flip(lab.elapsing(work(lab.trip)))
          assert.instanceOf(error, Sealing.SealedValueGone)
          assert.match(error.message, /apply \(a\d+\) of run trip needs 2 sealed values that were erased/)
        })
      )
      assert.strictEqual(office.visas.size, 1)
    })
  )

  it.effect("lets no process send or verify again an erased value, and begins nothing for it", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const office = new sealed.Office()
      office.silent = 1
      yield* Effect.exit(unread(lab.as(process(place, office))(lab.elapsing(work(lab.trip)))))
      yield* lab.as(process(place, office))(
        Effect.gen(function* () {
          yield* erased({ subject: "anna" })
          const { tick } = (yield* (yield* History.History).info(lab.trip)).head
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.reopen(lab.trip)
          const { state } = yield* handle.position
          const [action] = Object.keys(OpenActions.of(state))
          const resolve = (as: string) =>
            handle.propose({
              type: "review.decided",
              author: "user",
              data: { action: action!, as, by: "Ada", evidence: "the office says so" }
            })
          for (const as of ["resent", "reopened"]) {
            const outcome = yield* resolve(as)
            assert.deepInclude(outcome, { _tag: "Refused", tick: undefined })
            assert.include(JSON.stringify(outcome), '"values.gone"')
            assert.include(Wording.why(outcome), "apply, of which 2 sealed values were erased")
          }
          yield* Effect.flip(lab.elapsing(handle.resume))
          assert.strictEqual((yield* handle.position).head.tick, tick)
          assert.strictEqual((yield* resolve("abandoned"))._tag, "Done")
        })
      )
    })
  )

  it.effect("leaves nothing by which a value of one run is found, although the subject lives on in others", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const applied = (run: Run.Run, passport: string) =>
        Effect.flatMap(Coordinator.Coordinator, (each) =>
          Effect.flatMap(each.open(run, { pack: sealed.pack, goal: "visa" }), (handle) =>
            handle.propose({ tool: "apply", params: { traveller: "anna", passport, born: sealed.born } })
          )
        )
      const pin = "481516"
      /** Tests guesses with every key that is left. */
      const guessed = Effect.gen(function* () {
        const subject = yield* Effect.flatMap(Sealing.Sealing, (each) => each.subject(tenant, "anna"))
        const forms = [
          Canonical.encode({ key: pin, subject }),
          Canonical.encode({ request: pin, subject }),
          `key\n${pin}`,
          `request\n"${pin}"`
        ]
        const recognises = Cipher.derive(Buffer.from("ab".repeat(32), "hex"), "identity", tenant)
        const marks = yield* place.vault.recognised(
          tenant,
          forms.map((form) => Cipher.mac(recognises, form))
        )
        const keys = yield* Effect.forEach(yield* place.vault.keys(tenant, {}), (key) => Sealing.unwrap(tenant, key))
        const own = keys.flatMap((key) => [
          Cipher.seal(key, pin).commitment,
          ...forms.map((form) => Cipher.mac(Cipher.derive(key, "identity"), form))
        ])
        const texts = (yield* place.store.read(lab.trip, { from: 1 })).map(({ body, stamp }) => body + stamp).join()
        return [...marks.map(({ mark }) => mark), ...own].filter((each) => texts.includes(each)).length
      })
      yield* lab.as(process(place))(
        lab.elapsing(
          Effect.gen(function* () {
            assert.strictEqual((yield* applied(lab.trip, pin))._tag, "Done")
            assert.strictEqual((yield* applied(two, "999999"))._tag, "Done")
            // Its commitment, what its key is of, and what is asked for.
            assert.strictEqual(yield* guessed, 3)
            const { sharing } = yield* erased({ subject: "anna", run: lab.trip })
            // The day of birth is the same in both.
            assert.deepStrictEqual(sharing, ["trip2"])
            assert.strictEqual(yield* guessed, 0)
            assert.deepStrictEqual((yield* erased({ subject: "anna" })).sharing, [])
            assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), [])
          })
        )
      )
    })
  )

  it.effect("leaves nothing by which a value of little entropy is found among a million, whoever has the secrets", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const pin = "481516"
      const params = { traveller: "anna", passport: pin, born: sealed.born }
      yield* lab.as(process(place))(
        lab.elapsing(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(lab.trip, { pack: sealed.pack, goal: "visa" })
            assert.strictEqual((yield* handle.propose({ tool: "apply", params }))._tag, "Done")
            yield* erased({ subject: "anna" })
          })
        )
      )
      const all = (yield* sealed.texts(place.store)).join("\n")
      const digests = new Set(all.match(/[0-9a-f]{40,64}/g))
      assert.isAbove(digests.size, 10)
      const domain = `backstitch.sealed.1\n${"ab".repeat(32)}\n"`
      assert.strictEqual(hash("sha256", `${domain}${pin}"`), SealedValue.commit("ab".repeat(32), pin))
      const within = JSON.stringify([tenant, "visa"])
      const identity = { tool: "apply", scope: "goal", within, occurrence: 1, generation: 0 } as const
      for (let guess = 0; guess < 1_000_000; guess++) {
        const value = String(guess).padStart(6, "0")
        if (digests.has(hash("sha256", `${domain}${value}"`))) assert.fail(`found ${value}`)
      }
      const key = IdempotencyKey.derive("secret", { ...identity, fields: { passport: pin } })
      assert.isFalse(digests.has(key.slice(3)))
    })
  )
})
