/** A tool and its contract, which is proven by one pattern. */
import type { ToolDefinition as Contract, Types } from "@backstitch/contracts/Definition"
import type * as Pattern from "@backstitch/patterns/Pattern"
import * as VerificationPattern from "@backstitch/patterns/VerificationPattern"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Result from "effect/Result"

/** A tool with its contract. */
export interface Proven {
  readonly contract: Contract
  readonly code: ToolExecutor.Tool
}

/** Makes a contract whose readback is a pattern. */
export const contract = <const Name extends Pattern.PatternName>(
  pattern: Name,
  about: {
    readonly class: Contract["class"]
    readonly input: Types
    readonly identity: ReadonlyArray<string>
    readonly target: string
    /** The time for which an answer is awaited; 2 s by default. */
    readonly sendWithin?: string
    /** Checks of its class that do not apply, each with the reason. */
    readonly waives?: Contract["waives"]
    readonly options: Parameters<typeof VerificationPattern.readback<Name>>[1]
  }
): Contract => ({
  class: about.class,
  idempotency: "effectful",
  input: about.input,
  target: about.target,
  identity: { scope: "run", fields: about.identity },
  times: { sendWithin: about.sendWithin ?? "2s" },
  readback: Result.getOrThrow(
    VerificationPattern.readback(pattern, { within: "800ms", poll: "50ms", ...about.options })
  ),
  ...(about.waives === undefined ? {} : { waives: about.waives }),
  undo: "X"
})
