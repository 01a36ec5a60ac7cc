/** The pack of one tool: its contract, with the defaults of this package. */

import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import { BackstitchError } from "../failures/Failures.ts"
import * as InputFields from "./inputFields.ts"
import * as PromisedQuestions from "./promisedQuestions.ts"
import type { StandardSchema } from "./StandardSchema.ts"
import type { ToolContract } from "./ToolContract.ts"

/** Promises that a provider is taken to make, if it can be asked and its contract says nothing else. */
const times = { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" }

/** The contract of a tool in the form of a pack, and the schema that checks its arguments. */
export const toolOf = (
  name: string,
  contract: ToolContract,
  asked: PromisedQuestions.Questions
): { readonly tool: Readonly<Record<string, unknown>>; readonly schema: StandardSchema | undefined } => {
  const promised = { status: contract["status"] === "by_key", readback: contract.readback?.expect !== undefined }
  PromisedQuestions.demand(name, promised, asked)
  const { approval: _, class: given, fields: declared, identity, input, readback, tool: __, ...rest } = contract
  const { fields: found, schema } = InputFields.of(input)
  const fields = (declared as InputFields.Fields | undefined) ?? found
  if (fields === undefined) throw new BackstitchError({ code: "contract_invalid", message: lacking(name, schema) })
  const isVerifiable = asked.status || asked.readback
  const isRead = given === "read_only"
  const tool = {
    ...(isRead ? {} : { undo: "X", target: "none", idempotency: "effectful" }),
    ...(asked.status ? { status: "by_key", times } : {}),
    ...rest,
    class: given ?? (isVerifiable ? "high_risk_external" : "medium_risk_write"),
    input: fields,
    ...(isRead && identity === undefined ? {} : { identity: identityOf(identity, fields) }),
    ...(asked.readback || readback !== undefined
      ? { readback: { source: "the system of record", expect: ["actual != null"], ...readback } }
      : {})
  }
  return { tool, schema }
}

/** Makes the pack of one tool. Throws an error that names every mistake of the contract. */
export const make = (
  name: string,
  tool: Readonly<Record<string, unknown>>,
  contract: ToolContract
): TaskPack.TaskPack => {
  const definition = {
    pack: "backstitch.guarded",
    version: "1",
    tools: { [name]: tool },
    ...(contract.approval === undefined ? {} : { approvals: { [name]: contract.approval } })
  }
  const made = TaskPack.make(definition as Definition.Definition, { file: `the contract of ${name}` })
  if (Result.isSuccess(made)) return made.success
  throw new BackstitchError({ code: "contract_invalid", message: made.failure.message, cause: made.failure })
}

/** Names the act: by default all arguments, wherever in the tenant the call is made. */
const identityOf = (given: ToolContract["identity"], fields: InputFields.Fields): unknown => {
  if (given === undefined) return { scope: "tenant", fields: Object.keys(fields) }
  if (given === "none" || "scope" in given) return given
  return { scope: "tenant", fields: given }
}

const lacking = (name: string, schema: StandardSchema | undefined): string =>
  schema === undefined
    ? `The contract of ${name} does not say which arguments the tool takes. Add input: fields such as ` +
      '{ order: "string", amount: "int" }, a JSON Schema, or a schema of Zod, Valibot or another library'
    : `The schema of ${name} (${schema["~standard"].vendor}) does not say which fields it has: its library offers no ` +
      'JSON Schema of it, or it is of no object. Add them beside input, such as fields: { order: "string", amount: ' +
      '"int" }. A schema of Valibot says them by toStandardJsonSchema of @valibot/to-json-schema'
