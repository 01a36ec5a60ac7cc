/** An explanation for people: a tree of conditions. */
import type { ExplainedCheck } from "@backstitch/runtime/ExplainedCheck"
import type { Explanation } from "@backstitch/runtime/Explanation"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as ValueText from "../ValueText.ts"

/** Prints an explanation. `file` is the pack's file, if given. */
export const print = (explanation: Explanation, file: string | undefined): void => {
  const { about, checks, next, pack, run, tick, type, verdict, why } = explanation
  const paint =
    verdict === "allowed" || verdict === "answered" || verdict === "committed" || verdict === "settled"
      ? Terminal.good
      : verdict === "anomaly"
        ? Terminal.bad
        : Terminal.wary
  const under = pack === null ? "no pack" : `${pack.id} ${pack.version}`
  Terminal.print(`${Terminal.bold("EXPLAIN:")} ${run}@${tick} | ${type} | ${under}`)
  Terminal.print()
  Terminal.print(`${paint(verdict.toUpperCase())}  ${about}`)
  Terminal.print(`│ ${why}`)
  for (const [index, check] of checks.entries()) branch(check, index === checks.length - 1, file)
  if (next.length === 0) return
  Terminal.print()
  for (const [index, step] of next.entries())
    Terminal.print(`${index === 0 ? Terminal.bold("NEXT:") : "     "}  ${Spelling.of(step)}`)
}

/** An explanation for a program, each step with its command. */
export const document = ({ checks, next, ...explanation }: Explanation): object => ({
  ...explanation,
  checks: checks.map(({ next, ...check }) => ({
    ...check,
    ...(next && { next: next.map((step) => Spelling.told(step)) })
  })),
  next: next.map((step) => Spelling.told(step))
})

const labelWidth = "violated if".length

const branch = (check: ExplainedCheck, last: boolean, file: string | undefined): void => {
  const { expected, found, id, line, next = [], ok, source, step, values = {} } = check
  const mark = ok ? Terminal.good("✓") : Terminal.bad("✗")
  const place = line === undefined ? "" : Terminal.dim(`  ${file ?? "contract"}:${line}`)
  Terminal.print(`${last ? "└─" : "├─"} ${mark} ${step.padEnd(14)} ${id}${place}`)
  const held = Object.entries(values).map(([path, value]) => `${path} = ${ValueText.full(value ?? null)}`)
  const details: ReadonlyArray<readonly [string, string | undefined]> = [
    source === undefined ? ["rule", undefined] : ruled(check, firstLine(source)),
    ["with", held.length === 0 ? undefined : held.join(", ")],
    ["expected", ok ? undefined : expected],
    ["found", ok ? undefined : found]
  ]
  const rail = last ? "     " : "│    "
  const rows = details.flatMap(([name, text]) =>
    text === undefined ? [] : [[Terminal.dim(name.padEnd(labelWidth)), text]]
  )
  TextTable.print(rows, { rail })
  if (!ok && next.length > 0) {
    Terminal.print(`${rail}${Terminal.dim("to pass".padEnd(labelWidth))}  ${Spelling.all(next)}`)
  }
}

/** A rule with its result. A guard refuses if its condition holds. */
const ruled = ({ ok, step }: ExplainedCheck, rule: string): readonly [string, string] => {
  switch (step) {
    case "guard":
      return ["refuse if", `${rule}: ${ok ? "no" : "yes"}`]
    case "policy":
      return ["violated if", `${rule}: ${ok ? "no" : "yes"}`]
    case "readback":
      return ["expects", `${rule}: ${ok ? "yes" : "no"}`]
    case "approval":
      return ["asks if", rule]
    default:
      return ["rule", rule]
  }
}

/** A rule may be a function of many lines; `--json` has all of it. */
const firstLine = (text: string): string => {
  const [line = "", ...others] = text
    .trim()
    .split("\n")
    .map((part) => part.replace(/\s+/g, " "))
  return others.length === 0 ? line : `${line} …`
}
