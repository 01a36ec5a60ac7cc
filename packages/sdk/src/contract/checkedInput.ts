/** Arguments as their schema leaves them, or what is wrong with them. */
import type { Json } from "../values/Json.ts"
import * as NextSteps from "../values/nextSteps.ts"
import type { Refused } from "../values/Outcome.ts"
import * as StandardSchema from "./StandardSchema.ts"

/** Checks arguments. A schema may convert them, and what it answers is what is recorded and sent. */
export const of = async (
  schema: StandardSchema.StandardSchema | undefined,
  given: unknown
): Promise<{ readonly params: Json; readonly problem: string | undefined }> => {
  const params = given as Json
  if (schema === undefined) return { params, problem: undefined }
  const answer = await schema["~standard"].validate(given)
  if (answer.issues === undefined) return { params: answer.value as Json, problem: undefined }
  return { params, problem: answer.issues.map(StandardSchema.told).join("; ") }
}

/** The outcome of a call whose arguments do not fit their schema. It leaves no trace. */
export const refused = (run: string, why: string): Refused => ({
  status: "refused",
  run,
  why,
  next: [NextSteps.told({ verb: "amend", say: "correct the arguments, and call again" })]
})
