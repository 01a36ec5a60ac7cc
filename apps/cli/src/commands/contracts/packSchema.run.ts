/**
 * Prints the schema of contracts.
 *
 * @since 0.1.0
 */
import * as PackSchema from "@backstitch/contracts/PackSchema"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packSchema.ts"

/**
 * Prints the JSON Schema of contracts.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = () =>
  Effect.sync(() => {
    Terminal.lines(JSON.stringify(PackSchema.schema, null, 2))
    return 0
  })
