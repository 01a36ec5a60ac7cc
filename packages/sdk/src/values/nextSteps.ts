/** Steps of the kernel as steps of this package: in words, and as calls. */
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { NextStep } from "./NextStep.ts"

/** Steps that may be taken next, about a run, an action or a review where they name none. */
export const of = (steps: ReadonlyArray<Next.Next>, about: Next.StepDefaults): ReadonlyArray<NextStep> =>
  steps.map((each) => {
    const step = Next.about(each, about)
    const calls = [step, ...(step.or ?? [])].flatMap((one) => callOf(one) ?? [])
    const call = calls.length === 0 ? undefined : calls.join(", or ")
    return told({ ...step, say: Wording.step(step), ...(call === undefined ? {} : { call }) })
  })

/** The step by which a tool of the pack gets its code. */
export const codeOf = (tool: string): NextStep =>
  told({
    verb: "amend",
    say: `give this program the code of ${tool}`,
    call: `Backstitch.open({ pack, tools: { ${JSON.stringify(tool)}: { execute } } })`
  })

/** A step that a text may hold, as in `${step}`. What makes it one is no field, so no copy as JSON has it. */
export const told = (step: NextStep): NextStep =>
  Object.defineProperty({ ...step }, "toString", { value: () => textOf(step) })

const textOf = ({ call, say }: NextStep): string => (call === undefined ? say : `${say}: ${call}`)

/** The call for one more of an act. */
const counted = "the same call with { occurrence: 2 }, or the next number"

/** Spells a step as a call of this package. */
const callOf = (step: Next.Next): string | undefined => {
  const run = `bs.run(${JSON.stringify(step.run ?? "RUN")})`
  switch (step.verb) {
    case "propose":
      return step.again === true ? counted : undefined
    case "resume":
      return step.again === true ? counted : `${run}, and the same call again`
    case "resolve":
    case "attest": {
      const as = step.verb === "attest" ? ["success"] : (step.as ?? ["success", "failure", "abandoned"])
      const about = `${JSON.stringify(step.run ?? "RUN")}, ${JSON.stringify(step.action ?? "ACTION")}`
      const others = as.filter((each) => each !== "success").map((each) => JSON.stringify(each))
      // A success that nobody has read needs the record; the other verdicts do without it.
      const success = as.includes("success") ? [`bs.resolve(${about}, { as: "success", by, evidence, record })`] : []
      const other = others.length > 0 ? [`bs.resolve(${about}, { as: ${others.join(" or ")}, by, evidence })`] : []
      return [...success, ...other].join(", or ")
    }
    case "decide": {
      const verdict = step.as === "denied" ? "deny" : "approve"
      const role = step.needs?.length === 1 ? `role: ${JSON.stringify(step.needs[0])}` : "role"
      return `bs.${verdict}(${JSON.stringify(step.run ?? "RUN")}, ${JSON.stringify(step.review ?? "REVIEW")}, { by, ${role} })`
    }
    default:
      return undefined
  }
}
