/**
 * The answer of a bisect for people.
 *
 * @source Dendrer, appendix C
 */
import type * as Bisecting from "@backstitch/runtime/Bisecting"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"

/** Prints an answer: the probes, the onset, the consequences, the evidence for each diagnosis, and the next step. */
export const print = (answer: Bisecting.WordedBisectResult): void => {
  const { evaluations, inconclusive, length, linear, onset, probes, regression } = answer
  Terminal.print(
    `${Terminal.bold("BISECT:")} run=${answer.run} | ${Wording.question(answer.question)} | ticks=${length}`
  )
  if (OnsetQuestion.isLatched(answer.question)) {
    Terminal.print(
      Terminal.dim("Pure, by the pack or by the kernel; latched at its first tick, so it does not recover")
    )
  }
  Terminal.print()
  for (const { tick, verdict } of probes) {
    const word = verdict === "ok" ? Terminal.good("ok") : Terminal.bad("violation")
    Terminal.print(`  tick ${String(tick).padStart(String(length).length)}  ${word}`)
  }
  if (linear !== undefined)
    Terminal.print(`  ${Terminal.dim(Wording.tell(linear))}${answer.cached ? Terminal.dim(" (kept from before)") : ""}`)
  if (probes.length > 0 || linear !== undefined) Terminal.print()
  if (regression !== undefined) fallen(regression)
  if (inconclusive !== undefined) unsure(inconclusive)
  const cost = `${evaluations} evaluation${evaluations === 1 ? "" : "s"}`
  if (onset === null) {
    Terminal.print(`${Terminal.good("NONE:")} it never was so | ${cost}`)
    if (answer.note !== undefined) Terminal.print(`${Terminal.wary("NOTE:")} ${Wording.tell(answer.note)}`)
    return
  }
  Terminal.print(`${Terminal.bad("ONSET:")} tick ${onset} | ${String(answer.transition?.["type"])} | ${cost}`)
  const { confidence, uncertainty } = answer.transition ?? {}
  const stated = [
    ...(typeof confidence === "number" ? [`confidence=${confidence.toFixed(2)}`] : []),
    ...(typeof uncertainty === "string" ? [`doubt: ${uncertainty}`] : [])
  ]
  if (stated.length > 0) Terminal.print(`       ${stated.join(" | ")}`)
  Terminal.print(`       ${String(answer.transition?.["effect"])}`)
  chain(answer)
  diagnosis(answer)
  remediation(answer)
}

const unsure = (doubt: NonNullable<Bisecting.WordedBisectResult["inconclusive"]>): void => {
  const { next, what } = Wording.of(doubt)
  Terminal.print(`${Terminal.wary("UNSURE:")} ${[what, ...next.map((step) => Wording.step(step))].join(". ")}`)
}

const fallen = (regression: NonNullable<Bisecting.WordedBisectResult["regression"]>): void => {
  const { fall, metric } = regression
  if (fall !== null) {
    const back = fall.recovered === null ? "it never was back" : `back at tick ${fall.recovered}`
    Terminal.print(
      `${Terminal.bold("FALL:")} ${metric} ${round(fall.from)} → ${round(fall.to)} at tick ${fall.tick} | ${back}`
    )
  }
  Terminal.print(`${Terminal.wary("HEURISTIC:")} ${precedence(regression)}`)
}

/** Says which of two onsets counts: that of a predicate, if there is one. */
export const precedence = ({
  fall,
  invariant,
  metric
}: NonNullable<Bisecting.WordedBisectResult["regression"]>): string => {
  const fell = fall === null ? `${metric} never fell` : `${metric} first fell at tick ${fall.tick}`
  if (invariant === null) return `${fell}, and no predicate was violated: this rests on a heuristic alone`
  const held = `${invariant.id} was violated at tick ${invariant.onset}`
  return fall?.tick === invariant.onset
    ? `${fell}, and ${held}: they agree`
    : `${fell}, but ${held}: the invariant takes precedence over the heuristic`
}

const round = (value: number): string => String(Math.round(value * 1000) / 1000)

const chain = ({ causalChain, causalChainOmitted }: Bisecting.WordedBisectResult): void => {
  if (causalChain.length === 0) return
  Terminal.print()
  Terminal.print(`${Terminal.bold("CHAIN:")} ${Terminal.dim("heuristic, it proves no cause")}`)
  TextTable.print(
    causalChain.map(({ effect, relation, tick, type, why }) => [
      `tick ${tick}`,
      relation,
      type,
      `${effect}${Terminal.dim(`  (${why === undefined ? "the first tick at which it was so" : Wording.tell(why)})`)}`
    ]),
    { rail: "  " }
  )
  if (causalChainOmitted > 0) Terminal.print(Terminal.dim(`  and ${causalChainOmitted} more`))
}

/** The verdict of a person, or the evidence for one. */
const diagnosis = ({ evidence, verdict }: Bisecting.WordedBisectResult): void => {
  if (verdict === undefined && evidence.length === 0) return
  Terminal.print()
  if (verdict === undefined) {
    Terminal.print(`${Terminal.bold("DIAGNOSIS:")} yours to make, with --diagnosis. The trace says`)
  } else {
    const { name, says } = Wording.diagnosis(verdict.diagnosis)
    Terminal.print(`${Terminal.bold("DIAGNOSIS:")} ${name}, decided by ${verdict.by}`)
    Terminal.print(`  ${says}`)
  }
  const rows = evidence.map(({ for: diagnosis, tick, why }) => [
    Wording.diagnosis(diagnosis).name,
    `tick ${tick}: ${Wording.tell(why)}`
  ])
  if (rows.length > 0) TextTable.print(rows, { rail: "  " })
}

/** The place of the next steps of an answer: its run, and its predicate if it is about one. */
export const about = ({ question, run }: Bisecting.WordedBisectResult): Next.StepDefaults => ({
  run,
  predicate: question._tag === "Predicate" ? question.id : question._tag === "Expression" ? question.source : undefined
})

const remediation = (answer: Bisecting.WordedBisectResult): void => {
  const { question, suggestion } = answer
  const { next, what } = Wording.of(suggestion)
  Terminal.print()
  Terminal.print(`${Terminal.bold("NEXT:")} ${what}`)
  for (const step of next) Terminal.print(`      ${Terminal.name(Spelling.of(step, about(answer)))}`)
  if (suggestion.code !== "remedy.anew") return
  const steps = [
    "compare the goal and its clauses with what was violated",
    `change the pack where it asks for the impossible${question._tag === "Predicate" ? `: ${question.id}` : ""}`,
    "begin a new run under the changed goal or pack",
    "keep this one to compare with: backstitch diff"
  ]
  for (const [index, step] of steps.entries()) Terminal.print(`  ${index + 1}. ${step}`)
}
