import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as lab from "../../runtime/test/lab.ts"
import * as AgentLack from "../src/work/AgentLack.ts"
import * as HostAgents from "../src/work/HostAgents.ts"
import * as hall from "./hall.ts"

const { trip } = hall

const travel = hall.agent(new lab.World(), lab.script)

const agents: Pick<HostAgents.HostAgents, "find"> = {
  find: (agent) => (agent === "travel" ? Effect.succeed(travel) : new HostAgents.AgentUnknown({ agent, known: [] }))
}

describe("an agent that a host lacks", () => {
  it.effect("is one that it does not have, or has under another pack than the run", () =>
    Effect.gen(function* () {
      const found = (agent: string, pack?: string) => AgentLack.of(agents, { agent, run: trip }, pack)
      assert.isUndefined(yield* found("travel"))
      assert.isUndefined(yield* found("travel", hall.pack.digest))
      assert.match((yield* found("former"))?.why ?? "", /^It waits for its agent former, which this server does not/)
      const other = (yield* found("travel", lab.pack.digest))?.why ?? ""
      const [theirs, ours] = [lab.pack, hall.pack].map(({ digest }) => digest.slice(0, 12))
      assert.include(other, `agent travel under pack ${theirs}, which`)
      assert.include(other, `here it works under ${ours}. It goes on by itself`)
      assert.include((yield* found("travel", ""))?.why, "under pack none")
    })
  )

  it.effect("is why a turn has failed, unless that was about another run or anything else", () =>
    Effect.gen(function* () {
      const about = { agent: "travel", run: trip }
      const caused = (error: unknown) => AgentLack.ofCause(agents, about, Cause.fail(error))
      const changed = (run: string) => new Coordinator.PackChanged({ run, pinned: lab.pack.digest, given: "other" })
      assert.strictEqual((yield* caused(changed("trip")))?.run, trip)
      assert.isUndefined(yield* caused(changed("trip-2")))
      assert.isUndefined(yield* caused(new Error("the model is away")))
    })
  )

  it.effect("is told to the tenant of its run alone (L15)", () =>
    Effect.gen(function* () {
      const lack = (id: string, tenant: string) => ({ run: Run.make(id, tenant), agent: "former", why: "" })
      const lacks = new Set([lack("b", "acme"), lack("c", "globex"), lack("a", "acme")])
      const told = yield* AgentLack.ofTenant(lacks)(Run.make("any", "acme").tenant)
      assert.deepStrictEqual(
        told.map(({ run }) => run.id as string),
        ["a", "b"]
      )
    })
  )
})
