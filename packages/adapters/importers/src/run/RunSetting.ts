/**
 * The settings under which a run that was recorded elsewhere is folded: its pack, the state in which it begins, and
 * the transition that begins it.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import type * as Rules from "@backstitch/reducer/Rules"
import type * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as Run from "@backstitch/trace/Run"
import * as Result from "effect/Result"
import type { Format } from "../chat/Format.ts"
import type * as ChatRun from "./ChatRun.ts"

/** Everything is recorded and nothing is decided: no tool is known, so none changes the state. */
export const observed = Result.getOrThrow(
  TaskPack.make({ pack: "backstitch.observed", version: "1.0.0", description: "Recorded runs without a pack" })
)

/** The parts that all runs of one recording share. */
export interface RecordingSetting {
  readonly pack: TaskPack.TaskPack
  readonly format: Pick<Format, "name">
  readonly sections: Rules.Sections
  /** Fields of `world` whose change counts as a change of state. */
  readonly worldFields: ReadonlyArray<string>
  readonly outputs?: ChatRun.Setting["outputs"] | undefined
}

/** The goal of one run, and its place in a recording. */
export interface RecordedGoal {
  readonly goal: string
  readonly place?: string | undefined
}

/** Makes the settings of each run of a recording. The library holds the pack and the first state from then on. */
export const make = (
  library: PackLibrary.PackLibrary["Service"],
  { format, outputs = "bytes", pack, sections, worldFields }: RecordingSetting
) => {
  library.hold(pack)
  const pinned = { pack: pack.digest, initial: library.holdInitial(sections) }
  const fold = library.fold(Kernel.standard)
  const tools = new Map<string, ChatRun.ImportedTool>()
  const tool = (name: string): ChatRun.ImportedTool => {
    const known = tools.get(name)
    if (known !== undefined) return known
    const made = toolOf(TaskPack.tool(pack, name))
    tools.set(name, made)
    return made
  }
  const impure = PackPurity.findings(pack).map(({ id, reason }) => ({ id, reason }))
  return ({ goal, place }: RecordedGoal) =>
    (run: Run.Run): ChatRun.Setting => {
      const terms = { run, lineage: run.id, now: 0, tick: 1, secret: "", pack }
      const { drafts } = Kernel.decide(
        terms,
        { world: {}, working: {}, kernel: {} },
        {
          _tag: "Start",
          ...pinned,
          clauses: {},
          fold: fold.version,
          goal,
          impure,
          rules: Kernel.standard.rules.version,
          source: format.name,
          text: goal
        }
      )
      // The source is only for people: two recordings of the same steps have the same story.
      const source = place === undefined ? format.name : `${format.name} ${place}`
      const started = drafts.map((draft) => ({ ...draft, envelope: { ...draft.envelope, source } }))
      return { fold, tool, started, tables: worldFields, outputs }
    }
}

const toolOf = (contract: ToolContract.ToolContract): ChatRun.ImportedTool => {
  const { model } = contract
  const facts = { class: contract.class, mutating: ToolContract.isMutating(contract) }
  if (model === undefined) return facts
  return {
    ...facts,
    predict: (world, args) => (model.run({ world, args }) as { readonly output?: unknown } | undefined)?.output
  }
}
