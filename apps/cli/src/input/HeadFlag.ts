/** The flag `--head`: a head that was kept outside the store, as a link or as `TICK:LINK`. */
import * as KnownHead from "@backstitch/runtime/KnownHead"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Usage } from "../terminal/Failure.ts"

/** Checks the text of a head, and explains the form of a head if it is wrong, before any store or file is opened. */
export const check = (typed: string | undefined): Effect.Effect<void, Usage> =>
  typed === undefined || Result.isSuccess(KnownHead.parse(typed))
    ? Effect.void
    : Effect.fail(
        new Usage({
          problem: `--head takes a link, 64 hex digits as \`verify\` prints them, or TICK:LINK; "${typed}" is neither`
        })
      )
