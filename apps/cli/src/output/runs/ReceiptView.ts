/** A receipt for people. */
import * as Latch from "@backstitch/reducer/Latch"
import * as ApprovedArguments from "@backstitch/runtime/ApprovedArguments"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as Limits from "../../Limits.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as Wrapping from "../../terminal/Wrapping.ts"
import * as ValueText from "../ValueText.ts"

/** Prints a receipt. */
export const print = (receipt: Receipt.Receipt): void => {
  const {
    anomalies,
    artifacts,
    asks,
    compared,
    head,
    next,
    open,
    status,
    transitions,
    unmet,
    verified,
    violations,
    why
  } = receipt
  const paint = Receipt.isDone(receipt) ? Terminal.good : status === "failed" ? Terminal.bad : Terminal.wary
  const facts: Array<ReadonlyArray<string>> = [
    [
      paint(Terminal.bold(`${status.toUpperCase()}:`)),
      [
        `run=${receipt.run}`,
        ...delivered(artifacts),
        `transitions=${transitions}`,
        `replay_verified=${verified}`,
        `states_compared=${compared}`
      ].join(" | ")
    ],
    ...(why === undefined ? [] : [["", why]]),
    ...open.map(({ action, since, stands, target, tool }) => [
      Terminal.wary("open"),
      `${tool} (${action}) ${stands}, since tick ${since}${target === undefined ? "" : `; it holds ${target}`}`
    ]),
    ...asks.flatMap(({ after, before, changed, needs, params, review, tool }) => [
      [
        Terminal.wary("asked"),
        `${tool} ${JSON.stringify(params)} needs ${needs.join(" or ")} (${review}); ${sent(after)}`
      ],
      ...(before === null ? [] : [["", before]]),
      ...changed.map((each) => ["", ApprovedArguments.say(each)])
    ]),
    ...unmet.map((each) => [Terminal.wary("unmet"), each.say]),
    ...violations.map(({ predicate: latch, tick }) => {
      const { isAnswered, predicate } = Latch.read(latch)
      return isAnswered
        ? [Terminal.bad("violated"), `${predicate} since tick ${tick}`]
        : [Terminal.wary("unsure"), `${predicate} could not be evaluated at tick ${tick}`]
    }),
    ...(anomalies === 0 ? [] : [[Terminal.bad("anomalies"), String(anomalies)]]),
    [Terminal.dim("head"), `${head}  ${Terminal.dim("keep it elsewhere to anchor the run")}`]
  ]
  Terminal.print()
  TextTable.print(facts)
  // On a line of its own, so that it can be copied.
  const widest = Math.max(...facts.map(([name = ""]) => Wrapping.width(name)))
  for (const step of next) Terminal.print(`${Terminal.dim("next".padEnd(widest))}  ${Spelling.of(step)}`)
}

/** A receipt for a program, each step with its command. */
export const document = ({ next, open, ...receipt }: Receipt.Receipt): object => ({
  ...receipt,
  open: Spelling.rows(open),
  next: next.map((step) => Spelling.told(step))
})

const { receiptArtifactsMax } = Limits.showing

const delivered = (artifacts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const more = artifacts.length - receiptArtifactsMax
  return [
    ...artifacts.slice(0, receiptArtifactsMax).map((name) => `artifact=${ValueText.brief(name)}`),
    ...(more > 0 ? [`and ${more} more`] : [])
  ]
}

const sent = (after: string | null): string =>
  after === null ? "nothing was sent" : `${after} was started without it: the glass was broken`
