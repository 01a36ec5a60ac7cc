/** Questions about a call that a contract promises, and that a function of the tool has to answer. */
import { BackstitchError } from "../failures/Failures.ts"

/** The questions about a call that there are, or that are promised. */
export interface Questions {
  readonly status: boolean
  readonly readback: boolean
}

/** Throws for a question that a contract promises and no function answers: its calls could never be asked about. */
export const demand = (tool: string, promised: Questions, given: Questions): void => {
  for (const needs of ["status", "readback"] as const) {
    if (!promised[needs] || given[needs]) continue
    const message =
      `The contract of ${tool} has ${fields[needs]}, and there is no function ${needs} that could answer. ` +
      `Give one beside the function of the tool, or remove the field`
    throw new BackstitchError({ code: "contract_invalid", message })
  }
}

const fields = { status: 'status: "by_key"', readback: "a readback" } as const
