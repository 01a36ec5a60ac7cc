/**
 * Answers a request: one call within the store of the caller's tenant, and its errors as problems.
 */
import * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import type * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Stores from "../store/Stores.ts"

/** Answers with what a call of the caller comes to. Its errors have to be in the table of problems. */
export const answer = <A, E extends Problem.ListedError, R>(
  call: (caller: Access.CallerFacts) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(Access.Caller, (caller) => Stores.within(caller.tenant, call(caller))).pipe(Effect.mapError(problemOf))

/** Names the command with which an operator of the store gives a way out that no request has. */
const problemOf = (error: Problem.ListedError): Problem.TypedProblem => {
  const problem = Problem.of(error)
  if (error._tag !== "SecretUnknown" && error._tag !== "KeysDiffer") return problem
  return { ...problem, detail: `${problem.detail}: \`backstitch secret --accept\`, on the store of this server` }
}

/** Answers with what a call about one run of the caller's tenant comes to. */
export const about = <A, E extends Problem.ListedError, R>(
  { run }: { readonly run: Run.RunId },
  call: (run: Run.Run, caller: Access.CallerFacts) => Effect.Effect<A, E, R>
) => answer((caller) => call({ tenant: caller.tenant, id: run }, caller))
