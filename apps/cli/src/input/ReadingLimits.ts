/**
 * Limits of a file that is read, as the environment raises them, for example `BACKSTITCH_LIMITS=text=1GB,line=64MB`.
 */
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** The limits in force. */
export const given: Effect.Effect<SourceFile.Limits, Usage> = Effect.suspend(() => {
  const text = process.env["BACKSTITCH_LIMITS"] ?? ""
  let limits = SourceFile.defaults
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [, name = "", amount = "", unit = ""] = /^\s*(\w+)=(\d{1,12})(K|M|G)?i?B?\s*$/i.exec(part) ?? []
    if (!Object.hasOwn(SourceFile.defaults, name)) {
      const known = Object.keys(SourceFile.defaults).join(", ")
      const problem = `BACKSTITCH_LIMITS holds ${JSON.stringify(part.trim())}, and takes ${known}, as in text=1GB`
      return Effect.fail(new Usage({ problem }))
    }
    limits = { ...limits, [name]: Number(amount) * (units[unit.toUpperCase()] ?? 1) }
  }
  return Effect.succeed(limits)
})

const units: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }
