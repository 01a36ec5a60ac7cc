/**
 * Runs the tests that a pack carries: a proposal in a given state, and the answer that the pack must give.
 *
 * The pure kernel decides under the pack itself, so a test shows what would happen in a run. Nothing is asked of the
 * world: an intent that would be carried out counts as allowed.
 */

import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as Specification from "@backstitch/contracts/Specification"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as List from "@backstitch/trace/List"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as Commit from "./decision/Commit.ts"
import type { Decided } from "./decision/Decision.ts"
import type { Proposal } from "./decision/Proposal.ts"
import * as Kernel from "./Kernel.ts"
import * as Check from "./payload/Check.ts"
import * as ExpressionScope from "./state/ExpressionScope.ts"

/**
 * The result of one test. `differs` lists each difference, with the expected and the found value. It is empty if the
 * test passed.
 */
export interface Tested {
  readonly name: string
  readonly passed: boolean
  readonly answer: string
  readonly differs: ReadonlyArray<{ readonly expected: string; readonly found: string }>
}

/** Runs every test of a pack, in order. */
export const all = (pack: TaskPack.TaskPack, kernel: Kernel.Kernel = Kernel.standard): ReadonlyArray<Tested> =>
  pack.tests.map((test, index) => run(pack, test, { kernel, name: test.name ?? `test ${index + 1}` }))

/** Counts the tests that did not pass. */
export const failures = (tested: ReadonlyArray<Tested>): number => tested.filter(({ passed }) => !passed).length

/** Runs one test. */
export const run = (
  pack: TaskPack.TaskPack,
  test: TaskPack.PackTest,
  options: { readonly kernel?: Kernel.Kernel | undefined; readonly name?: string | undefined } = {}
): Tested => {
  const { kernel = Kernel.standard, name = test.name ?? "test" } = options
  const { after, decision, violated } = play(pack, test, kernel)
  const { expect } = test
  const differs: Array<Tested["differs"][number]> = []
  const compare = (expected: string, found: string): void => {
    if (expected !== found) differs.push({ expected, found })
  }
  const answer = answerOf(decision)
  if (expect.allowed === true) compare("allowed", answer)
  if (expect.allowed === false && answer === "allowed") compare("allowed: false", answer)
  if (expect.approval === true) compare("approval", answer)
  if (expect.approval === false && answer === "approval") compare("approval: false", answer)
  if (expect.refused !== undefined && !refusedBy(pack, decision).includes(expect.refused)) {
    compare(`refused: ${expect.refused}`, answer)
  }
  if (expect.violated !== undefined) {
    const wanted = typeof expect.violated === "string" ? [expect.violated] : expect.violated
    compare(`violated: ${list(wanted)}`, `violated: ${list(violated)}`)
  }
  const clauses = Specification.evaluate(pack.specification, ExpressionScope.bindings(after, {}))
  for (const clause of expect.holds ?? []) {
    const { holds = "unknown" } = clauses.find((each) => each.clause === clause) ?? {}
    compare(`${clause} holds`, holds === true ? `${clause} holds` : `${clause} is ${holds}`)
  }
  return { name, passed: differs.length === 0, answer, differs }
}

/** The sections with which a test begins: those of the pack, with the given fields. */
export const sectionsOf = (pack: TaskPack.TaskPack, { given }: Pick<TaskPack.PackTest, "given">): Rules.Sections => {
  const { initial } = PackRules.of(pack)
  const section = (name: "world" | "working") => ({
    ...initial[name],
    ...Object.fromEntries(
      Object.entries(given).flatMap(([path, value]) => {
        const field = path.slice(name.length + 1)
        return path.startsWith(`${name}.`) ? [[field, fieldOf(pack.fields[name][field], value)] as const] : []
      })
    )
  })
  return { world: section("world"), working: section("working") }
}

/** Decides the test under the pack, and folds the decision. */
const play = (pack: TaskPack.TaskPack, test: TaskPack.PackTest, kernel: Kernel.Kernel) => {
  const { args, clauses, subject } = test
  const rules = PackRules.of(pack)
  const initial = sectionsOf(pack, test)
  const fold = Fold.make({ parts: kernel.parts, sources: { rules: () => rules, initial: () => initial } })
  const run = Run.make("test")
  const terms = { run, lineage: run.id, now: 1, tick: 1, secret: "test", pack }
  const begun = kernel.decide(terms, State.empty, {
    _tag: "Start",
    goal: "test",
    text: "test",
    clauses: Specification.values(pack.specification, clauses),
    pack: pack.digest,
    initial: Fold.initialDigest(initial),
    fold: fold.version,
    rules: kernel.rules.version
  })
  const at = { head: HashChain.genesis(run), state: State.empty, asOf: 0 }
  const { position } = Commit.assemble(fold, { run, at, drafts: begun.drafts })
  const tick = position.head.tick + 1
  const proposal: Proposal = Ontology.isType(subject)
    ? { type: subject, author: Ontology.types[subject].authors[0], data: sealed(pack.transitions[subject]?.data, args) }
    : { tool: subject, params: sealed(TaskPack.tool(pack, subject).input, args) }
  const decision = kernel.decide({ ...terms, tick }, position.state, { _tag: "Propose", proposal })
  const after =
    decision.drafts.length === 0
      ? position.state
      : Commit.assemble(fold, { run, at: position, drafts: decision.drafts }).position.state
  return { decision, after, violated: Object.keys(Latch.of(after)).sort() }
}

const sealed = (fields: Field.Fields = {}, args: JsonObject): JsonObject =>
  Sensitive.pretend(Field.object(fields), args, { args }) as JsonObject

const fieldOf = (field: Field.Field | undefined, given: Json): State.StateField => {
  const value = field === undefined ? given : Sensitive.pretend(field, given, {})
  if (field?.type === "table" && isRecord(value)) return Table.from(Object.entries(value))
  return field?.type === "list" && Array.isArray(value) ? List.from(value as ReadonlyArray<Json>) : value
}

const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const answerOf = ({ next }: Decided): string => {
  if (next._tag !== "End" || next.outcome._tag === "Done") return "allowed"
  switch (next.outcome._tag) {
    case "Parked":
      return "approval"
    case "Refused":
      return `refused: ${Check.failing(next.outcome.checks)
        .map(({ id }) => id)
        .join(", ")}`
    default:
      return next.outcome._tag.toLowerCase()
  }
}

/** A refusal is named by the rule that refuses, by the step of the commit path, or by the violation that halts. */
const refusedBy = ({ violations }: TaskPack.TaskPack, { next }: Decided): ReadonlyArray<string> => {
  const checks = next._tag === "End" && next.outcome._tag === "Refused" ? Check.failing(next.outcome.checks) : []
  return checks.flatMap(({ id, step }) => {
    const halts = step === "policy" && violations.some((each) => each.id === id && each.halts)
    return [id, step === "authorship" ? "author" : step, ...(halts ? ["halted"] : [])]
  })
}

const list = (ids: ReadonlyArray<string>): string => (ids.length === 0 ? "nothing" : [...ids].sort().join(", "))
