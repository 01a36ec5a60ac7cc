import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as lab from "../../runtime/test/lab.ts"
import * as party from "../../runtime/test/party.ts"
import * as Assignments from "../src/work/Assignments.ts"
import * as HostAgents from "../src/work/HostAgents.ts"
import * as HostVerbs from "../src/work/HostVerbs.ts"
import * as hall from "./hall.ts"

const { trip } = hall

/** The verbs of a host that does no work by itself. */
const verbs = (settings: Partial<HostAgents.Settings> = {}) =>
  Effect.map(
    HostAgents.make({
      agents: { travel: hall.agent(new lab.World(), lab.script) },
      secretOf: () => Effect.succeed("secret"),
      ...settings
    }),
    HostVerbs.make
  )

describe("HostVerbs", () => {
  it.effect("begins a run under the goal that was asked for, and assigns it", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const { begin, status } = yield* verbs()
        assert.deepStrictEqual(yield* begin(trip, { agent: "travel", goal: "Two nights" }), {
          run: trip,
          agent: "travel",
          round: 1
        })
        const { agent, doing, waits } = yield* status(trip, undefined)
        assert.deepStrictEqual([agent, doing, waits], ["travel", "elsewhere", []])
      }).pipe(Effect.scoped, hall.within(hall.process(stored)))
    })
  )

  it.effect("assigns a run that was begun elsewhere to a named agent, and no run that is not there", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      yield* lab.as(lab.process(stored))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          yield* Effect.scoped(coordinator.begin(trip, { pack: hall.pack, goal: "Two nights" }))
          yield* Effect.scoped(coordinator.begin(Run.make("bare"), { goal: "Two nights" }))
        })
      )
      yield* lab.as(lab.process(stored))(lab.open(Run.make("other")))
      yield* Effect.gen(function* () {
        const { assign } = yield* verbs()
        for (const id of ["bare", "other"]) {
          assert.strictEqual((yield* Effect.flip(assign(Run.make(id), "travel", false)))._tag, "PackUnfit")
        }
        assert.strictEqual((yield* Effect.flip(assign(trip, undefined, false)))._tag, "RunUnhosted")
        assert.strictEqual((yield* Effect.flip(assign(trip, "nobody", false)))._tag, "AgentUnknown")
        assert.strictEqual((yield* Effect.flip(assign(Run.make("none"), "travel", false)))._tag, "RunUnknown")
        yield* assign(trip, "travel", false)
        const first = { run: trip, agent: "travel", round: 1 }
        assert.deepStrictEqual(yield* Assignments.find(trip), first)
        yield* Assignments.rest(first, { tick: 1, at: 0 })
        yield* assign(trip, undefined, true)
        assert.deepStrictEqual(yield* Assignments.find(trip), first, "whoever works on it next lets it act")
      }).pipe(Effect.scoped, hall.within(hall.process(stored)))
    })
  )

  it.effect(
    "records a revision of a run without an agent, or with one that it lacks, for one that goes on with it",
    () =>
      Effect.gen(function* () {
        const stored = yield* hall.store
        yield* lab.as(lab.process(stored))(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            yield* Effect.scoped(coordinator.begin(trip, { pack: party.packOf(), goal: "A party" }))
          })
        )
        yield* Effect.gen(function* () {
          const { inject } = yield* verbs({ secretOf: (tenant) => new HostAgents.SecretMissing({ tenant, why: "" }) })
          const asked = {
            revision: { changes: [{ change: "set", clause: "city", value: "Basel" }], by: "Ada" }
          } as const
          yield* Assignments.assign(trip, "former")
          const { agent, revised } = yield* inject(trip, asked)
          assert.isUndefined(agent)
          assert.deepInclude(revised, { isDone: true, outcome: undefined, next: undefined })
          assert.strictEqual((yield* Effect.flip(inject(trip, asked)))._tag, "RevisionEmpty")
          const unread = yield* Effect.flip(inject(trip, { ...asked, words: "rather in Bern" }))
          assert.strictEqual(unread._tag, "WordsUnread")
          const open = yield* Assignments.assign(trip, "former")
          yield* Assignments.close(open, { how: "cancelled", at: 0 })
          assert.strictEqual((yield* Effect.flip(inject(trip, asked)))._tag, "RunEnded")
        }).pipe(Effect.scoped, hall.within(hall.process(stored)))
      })
  )

  it.effect("does nothing for a tenant whose secret is not at hand (L15)", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const secretOf = (tenant: Run.Tenant) =>
          tenant === "acme"
            ? Effect.succeed("secret")
            : Effect.fail(new HostAgents.SecretMissing({ tenant, why: "none is configured" }))
        const { begin } = yield* verbs({ secretOf })
        yield* begin(Run.make("trip", "acme"), { agent: "travel" })
        const refused = yield* Effect.flip(begin(Run.make("trip", "globex"), { agent: "travel" }))
        assert.strictEqual(refused._tag, "SecretMissing")
        assert.deepStrictEqual(
          (yield* Assignments.all).map(({ run }) => run.tenant),
          ["acme"]
        )
      }).pipe(Effect.scoped, hall.within(hall.process(stored)))
    })
  )
})
