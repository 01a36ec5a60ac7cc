/**
 * Records golden traces with sealed values: a visa that was applied for, and another whose applicant has since had
 * everything erased. It is the third part of `pnpm goldens`.
 */
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Erasing from "../src/files/Erasing.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Exporting from "../src/proof/Exporting.ts"
import * as Agent from "../src/run/Agent.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

const [kept, erased] = [Run.make("visa-1"), Run.make("visa-2")]

const work = (run: Run.Run) =>
  Effect.flatMap(Coordinator.Coordinator, (each) =>
    Effect.flatMap(each.open(run, { pack: sealed.pack, goal: run.id }), (handle) => Agent.run(handle))
  )

const recorded = Effect.gen(function* () {
  const place = yield* sealed.place
  const process = () => {
    const executor = ToolExecutor.fromTools(new sealed.Office().tools)
    const options = { executor, steps: sealed.script, secret: "golden", lawless: true }
    return Layer.merge(lab.process(place.services, options), place.services)
  }
  for (const run of [kept, erased]) yield* lab.as(process())(work(run))
  return yield* lab.as(process())(
    Effect.gen(function* () {
      const plan = yield* Erasing.plan({ tenant: erased.tenant, run: erased, subject: "anna" })
      yield* Erasing.erase(plan, { by: "Ada", reason: "request 311", as: "institution" })
      return yield* Effect.forEach([kept, erased], (run) =>
        Effect.map(Exporting.take(run), (each) => [`${run.id}.jsonl`, Export.encode(each)] as const)
      )
    })
  )
})

goldens.add(await Effect.runPromise(recorded))
