/** The way from an open run to its handle, for adapters. */
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import { BackstitchError } from "../failures/Failures.ts"
import type { Run } from "../run/Run.ts"
import type { Session } from "../session/Session.ts"

/** An open run as an adapter needs it. */
export interface OpenHandle {
  readonly session: Session
  readonly handle: RunHandle.RunHandle
}

/** Registered, so that it is known to an adapter that has another copy of this package. */
const inside = Symbol.for("@backstitch/sdk/insideRun@1")

/** Gives a run the way to its handle. */
export const given = <A extends object>(run: A, it: OpenHandle): A => Object.defineProperty(run, inside, { value: it })

/** The handle of a run. */
export const of = (run: Run): OpenHandle => {
  const found = (run as { readonly [inside]?: OpenHandle })[inside]
  if (found !== undefined) return found
  const message = "An adapter was given something else than a run that bs.run has opened, or one of another version"
  throw new BackstitchError({ code: "run_unknown", message })
}
