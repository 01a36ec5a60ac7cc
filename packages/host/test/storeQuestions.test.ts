/** Questions of a host to its store: each is a round trip to a database, so their number is promised. */
import * as Leases from "@backstitch/trace/Leases"
import * as Notes from "@backstitch/trace/Notes"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as lab from "../../runtime/test/lab.ts"
import * as Assignments from "../src/work/Assignments.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const reads = ["info", "read", "runs", "claims", "nearestSnapshot"] as const

/** A store whose services answer as those of another one, and note what they are asked. */
const noted = (services: Context.Context<hall.Stored>) => {
  const asked: Array<string> = []
  const noting = <S extends object>(service: S, names: ReadonlyArray<keyof S & string>): S => ({
    ...service,
    ...Object.fromEntries(
      names.map((name) => [
        name,
        (...args: ReadonlyArray<never>) => {
          asked.push(name)
          return (service[name] as (...args: ReadonlyArray<never>) => unknown)(...args)
        }
      ])
    )
  })
  const layer = Layer.mergeAll(
    Layer.succeed(TraceStore.TraceStore, noting(Context.get(services, TraceStore.TraceStore), reads)),
    Layer.succeed(Leases.Leases, noting(Context.get(services, Leases.Leases), ["acquire", "release", "find"])),
    Layer.succeed(Notes.Notes, noting(Context.get(services, Notes.Notes), ["find", "list", "put", "remove"]))
  )
  return { asked, layer }
}

/** Waits until a run stands so, by what nobody counts. */
const until = (isMet: (found: Assignments.Assignment | undefined) => boolean, services: Context.Context<hall.Stored>) =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 5000; tries++) {
      if (isMet(yield* Effect.provideContext(Assignments.find(hall.trip), services))) return
      yield* hall.turns
    }
    assert.fail("the run never came there")
  })

/** The questions about a run that is begun, waits for an approval, is decided elsewhere, and takes some steps more. */
const askedFor = (steps: number) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(yield* hall.store)
    const { asked, layer } = noted(services)
    const tells = Array.from({ length: steps }, (_, at) => lab.tell(`guest ${at}`))
    const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch, ...tells)) }
    yield* Effect.gen(function* () {
      const host = yield* RunHost.RunHost
      asked.length = 0
      yield* host.start(hall.trip, { agent: "travel" })
      yield* until((found) => found?.rest !== undefined, services)
      yield* hall.decide(Layer.succeedContext(services), "approved")
      yield* until((found) => found?.ending !== undefined, services)
    }).pipe(hall.within(hall.host(layer, agents)))
    return asked
  }).pipe(Effect.scoped)

describe("questions of a host to its store", () => {
  it.live("asks no more for a run of many steps than for one of few", () =>
    Effect.gen(function* () {
      const few = yield* askedFor(1)
      const many = yield* askedFor(12)
      // A look for webhooks that are due may fall into either.
      const ours = (asked: ReadonlyArray<string>) => asked.filter((name) => name !== "list").sort()
      assert.deepStrictEqual(ours(many), ours(few))
      assert.isAtMost(ours(few).length, 37)
    })
  )
})
