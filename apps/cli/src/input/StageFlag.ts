/** Reads the flags for the stage to which a run enforces its pack. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** Reads the flags `--stage` and `--stage-of`; nothing if everything is enforced. */
export const parse = Effect.fnUntraced(function* (
  input: {
    readonly stage: (typeof Enforcement.stages)[number]
    readonly stages: ReadonlyArray<string>
  },
  pack: TaskPack.TaskPack
) {
  const types: Record<string, number> = {}
  for (const text of input.stages) {
    const [name = "", given = ""] = text.split("=")
    const stage = Enforcement.stages.findIndex((each, index) => each === given || String(index) === given)
    if (name === "" || stage < 0) {
      const expected = `NAME=STAGE, where STAGE is ${Enforcement.stages.join(", ")} or 0 to 3`
      return yield* new Usage({ problem: `--stage-of ${text}: ${expected} was expected` })
    }
    if (!Object.hasOwn(pack.tools, name) && !Ontology.isType(name)) {
      const tools = Object.keys(pack.tools).sort().join(", ")
      const known = `the tools of ${pack.id} (${tools === "" ? "none" : tools}) and the types of transitions`
      return yield* new Usage({ problem: `--stage-of ${text}: "${name}" is none of ${known}, such as action.request` })
    }
    types[name] = stage
  }
  const stage = Enforcement.stages.indexOf(input.stage)
  const setting: Enforcement.Enforcement | undefined =
    stage === 3 && input.stages.length === 0 ? undefined : { stage, types }
  return setting
})
