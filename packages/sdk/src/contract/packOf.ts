/** The pack of one tool: its contract, with the defaults of this package. */

import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import { BackstitchError } from "../failures/Failures.ts"
import * as InputFields from "./inputFields.ts"
import type { StandardSchema } from "./StandardSchema.ts"
import type { ToolContract } from "./ToolContract.ts"

/** The functions of a tool that decide its defaults. */
export interface ToolFunctions {
  readonly status: boolean
  readonly readback: boolean
}

/** Promises that a provider is taken to make, if it can be asked and its contract says nothing else. */
const times = { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" }

/** The contract of a tool in the form of a pack, and the schema that checks its arguments. */
export const toolOf = (
  name: string,
  contract: ToolContract,
  asked: ToolFunctions
): { readonly tool: Readonly<Record<string, unknown>>; readonly schema: StandardSchema | undefined } => {
  const promised = promisedOnly(contract, asked)
  if (promised !== undefined) {
    const message =
      `The contract of ${name} has ${promised.field}, and there is no function ${promised.needs} that could answer. ` +
      `Give one as the option ${promised.needs}, or remove the field`
    throw new BackstitchError({ code: "contract_invalid", message })
  }
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

/** A field of a contract that needs a function which is not there. */
const promisedOnly = (contract: ToolContract, asked: ToolFunctions) => {
  if (contract["status"] === "by_key" && !asked.status) return { field: 'status: "by_key"', needs: "status" }
  const isExpected = contract.readback?.expect !== undefined
  return isExpected && !asked.readback ? { field: "readback.expect", needs: "readback" } : undefined
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
      'JSON Schema of it, or it is of no object. Add fields to the contract, such as { order: "string", amount: "int" }'
