/**
 * The answer of a bisect for people.
 *
 * @since 0.1.0
 */
import type * as Bisecting from "@backstitch/runtime/Bisecting"
import * as Question from "@backstitch/version-control/Question"
import * as Grid from "./Grid.ts"
import * as Terminal from "./Terminal.ts"

/**
 * Prints an answer: the probes, the onset, what followed, and what to do.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (answer: Bisecting.Answer): void => {
  const { causalChain, causalChainOmitted, evaluations, inconclusive, length, linear, onset, probes, suggestion } =
    answer
  Terminal.print(
    `${Terminal.bold("BISECT:")} run=${answer.run} | ${Question.describe(answer.question)} | ticks=${length}`
  )
  Terminal.print()
  for (const { tick, verdict } of probes) {
    const word = verdict === "ok" ? Terminal.good("ok") : Terminal.bad("violation")
    Terminal.print(`  tick ${String(tick).padStart(String(length).length)}  ${word}`)
  }
  if (linear !== undefined)
    Terminal.print(`  ${Terminal.dim(linear)}${answer.cached ? Terminal.dim(" (kept from before)") : ""}`)
  if (probes.length > 0 || linear !== undefined) Terminal.print()
  const cost = `${evaluations} evaluation${evaluations === 1 ? "" : "s"}`
  if (inconclusive !== undefined) Terminal.print(`${Terminal.wary("UNSURE:")} ${inconclusive}`)
  if (onset === null) {
    Terminal.print(`${Terminal.good("NONE:")} it never was so | ${cost}`)
    return
  }
  Terminal.print(`${Terminal.bad("ONSET:")} tick ${onset} | ${String(answer.transition?.["type"])} | ${cost}`)
  Terminal.print(`       ${String(answer.transition?.["effect"])}`)
  if (causalChain.length > 0) {
    Terminal.print()
    Terminal.print(`${Terminal.bold("CHAIN:")} ${Terminal.dim("heuristic, it proves no cause")}`)
    Terminal.print(
      Grid.render(
        causalChain.map(({ effect, relation, tick, type, why }) => [
          `tick ${tick}`,
          relation,
          type,
          `${effect}${Terminal.dim(`  (${why})`)}`
        ]),
        { indent: 2 }
      )
    )
    if (causalChainOmitted > 0) Terminal.print(Terminal.dim(`  and ${causalChainOmitted} more`))
  }
  Terminal.print()
  Terminal.print(`${Terminal.bold("NEXT:")} ${suggestion.text}`)
  if (suggestion.command !== null) Terminal.print(`      ${Terminal.name(suggestion.command)}`)
}
