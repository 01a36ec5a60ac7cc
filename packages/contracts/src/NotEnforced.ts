/**
 * Parts of a pack that are read and not yet enforced.
 *
 * People who sign a pack expect all of it to apply. The check of a pack names each part that the runtime does not
 * apply, so that nobody relies on it.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Topology from "./rules/Topology.ts"
import type { TaskPack } from "./TaskPack.ts"

/** A key of named parts, and the sections of a pack of which any one makes it effective. */
interface Key {
  readonly part: "skeletons" | "tools"
  readonly key: string
  readonly by: ReadonlyArray<"machine" | "revisions">
}

/**
 * Recovery reads most keys only together with the states of the agent. Clauses and the reads of tools count where the
 * goal can be revised. Nothing reads `after` except the pack itself.
 */
const keys: ReadonlyArray<Key> = [
  ...["states", "entry", "commit", "exit", "inputs", "outputs"].map(
    (key): Key => ({ part: "skeletons", key, by: ["machine"] })
  ),
  { part: "skeletons", key: "after", by: [] },
  { part: "tools", key: "reads", by: ["machine", "revisions"] },
  { part: "tools", key: "assumes", by: ["revisions"] },
  { part: "tools", key: "serves", by: ["revisions"] }
]

/** Keys of a topology that bind every run, of whatever kind. */
const everywhere: ReadonlyArray<string> = ["kind", "steps", "checklist", "checkpoint", "on_alarm"]

/** Keys of a topology that the runs of a kind keep to, beside these. */
const read: { readonly [K in Topology.TopologyKind]: ReadonlyArray<string> } = {
  debate: ["agents", "rounds", "silence"],
  hierarchical: ["agents", "order", "queue", "silence"],
  orchestrator: ["agents", "silence"],
  pipeline: ["agents", "order", "silence"],
  plan_execute: ["agents", "on_failure", "plan", "silence"],
  react: []
}

/**
 * Lists the declared parts that have no effect, such as `topology.rounds`, `skeletons.buy.after` or
 * `tools.book.assumes`.
 *
 * **Example** (What nobody should rely on)
 *
 * ```ts import.meta.vitest
 * import { NotEnforced, TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({ pack: "acme.notes", version: "1.0.0", topology: { kind: "react", steps: 5, rounds: 3 } })
 * )
 * NotEnforced.of(pack) // => ["topology.rounds"]
 * ```
 */
export const of = ({ definition, topology }: Pick<TaskPack, "definition" | "topology">): ReadonlyArray<string> => [
  ...Object.entries(Canonical.objectOf(definition["topology"])).flatMap(([key, value]) =>
    topology === undefined || !holdsAny(value) || [...everywhere, ...read[topology.kind]].includes(key)
      ? []
      : [`topology.${key}`]
  ),
  ...(["skeletons", "tools"] as const).flatMap((part) => {
    const idle = keys.filter((each) => each.part === part && !each.by.some((section) => isGiven(definition[section])))
    return Object.entries(Canonical.objectOf(definition[part])).flatMap(([name, each]) =>
      idle.filter(({ key }) => holdsAny(Canonical.objectOf(each)[key])).map(({ key }) => `${part}.${name}.${key}`)
    )
  })
]

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const holdsAny = (value: unknown): boolean =>
  isGiven(value) && (typeof value !== "object" || Object.keys(value as object).length > 0)
