/**
 * The answer of a bisect for people.
 *
 * @source Dendrer, appendix C
 * @since 0.1.0
 */
import type * as Bisecting from "@backstitch/runtime/Bisecting"
import * as Question from "@backstitch/version-control/Question"
import * as Remediation from "@backstitch/version-control/Remediation"
import * as Grid from "./Grid.ts"
import * as Terminal from "./Terminal.ts"

/**
 * Prints an answer: the probes, the onset, what followed, what speaks for which cause, and what to do.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (answer: Bisecting.Answer): void => {
  const { evaluations, inconclusive, length, linear, onset, probes, regression } = answer
  Terminal.print(
    `${Terminal.bold("BISECT:")} run=${answer.run} | ${Question.describe(answer.question)} | ticks=${length}`
  )
  if (Question.isLatched(answer.question)) {
    Terminal.print(
      Terminal.dim("Pure, by its contract or by the kernel; latched at its first tick, so it does not recover")
    )
  }
  Terminal.print()
  for (const { tick, verdict } of probes) {
    const word = verdict === "ok" ? Terminal.good("ok") : Terminal.bad("violation")
    Terminal.print(`  tick ${String(tick).padStart(String(length).length)}  ${word}`)
  }
  if (linear !== undefined)
    Terminal.print(`  ${Terminal.dim(linear)}${answer.cached ? Terminal.dim(" (kept from before)") : ""}`)
  if (probes.length > 0 || linear !== undefined) Terminal.print()
  if (regression !== undefined) fallen(regression)
  if (inconclusive !== undefined) Terminal.print(`${Terminal.wary("UNSURE:")} ${inconclusive}`)
  const cost = `${evaluations} evaluation${evaluations === 1 ? "" : "s"}`
  if (onset === null) {
    Terminal.print(`${Terminal.good("NONE:")} it never was so | ${cost}`)
    if (answer.note !== undefined) Terminal.print(`${Terminal.wary("NOTE:")} ${answer.note}`)
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

const fallen = ({ fall, metric, precedence }: NonNullable<Bisecting.Answer["regression"]>): void => {
  if (fall !== null) {
    const back = fall.recoveredAt === null ? "it never was back" : `back at tick ${fall.recoveredAt}`
    Terminal.print(
      `${Terminal.bold("FALL:")} ${metric} ${round(fall.from)} → ${round(fall.to)} at tick ${fall.tick} | ${back}`
    )
  }
  Terminal.print(`${Terminal.wary("HEURISTIC:")} ${precedence}`)
}

const round = (value: number): string => String(Math.round(value * 1000) / 1000)

const chain = ({ causalChain, causalChainOmitted }: Bisecting.Answer): void => {
  if (causalChain.length === 0) return
  Terminal.print()
  Terminal.print(`${Terminal.bold("CHAIN:")} ${Terminal.dim("heuristic, it proves no cause")}`)
  Grid.print(
    causalChain.map(({ effect, relation, tick, type, why }) => [
      `tick ${tick}`,
      relation,
      type,
      `${effect}${Terminal.dim(`  (${why})`)}`
    ]),
    { rail: "  " }
  )
  if (causalChainOmitted > 0) Terminal.print(Terminal.dim(`  and ${causalChainOmitted} more`))
}

/** The verdict of a person, or the evidence that one can rest on. */
const diagnosis = ({ evidence, verdict }: Bisecting.Answer): void => {
  if (verdict === undefined && evidence.length === 0) return
  Terminal.print()
  if (verdict === undefined) {
    Terminal.print(`${Terminal.bold("DIAGNOSIS:")} yours to make, with --diagnosis. The trace says`)
  } else {
    const { name, says } = Remediation.meanings[verdict.diagnosis]
    Terminal.print(`${Terminal.bold("DIAGNOSIS:")} ${name}, decided by ${verdict.by}`)
    Terminal.print(`  ${says}`)
  }
  const rows = evidence.map(({ for: diagnosis, text }) => [Remediation.meanings[diagnosis].name, text])
  if (rows.length > 0) Grid.print(rows, { rail: "  " })
}

const remediation = ({ question, suggestion }: Bisecting.Answer): void => {
  Terminal.print()
  Terminal.print(`${Terminal.bold("NEXT:")} ${suggestion.text}`)
  if (suggestion.command !== null) Terminal.print(`      ${Terminal.name(suggestion.command)}`)
  if (suggestion.kind !== "foundational") return
  const steps = [
    "compare the goal and its clauses with what was violated",
    `change the pack where it asks for the impossible${question._tag === "Predicate" ? `: ${question.id}` : ""}`,
    "begin a new run under the changed goal or pack",
    "keep this one to compare with: backstitch diff"
  ]
  for (const [index, step] of steps.entries()) Terminal.print(`  ${index + 1}. ${step}`)
}
