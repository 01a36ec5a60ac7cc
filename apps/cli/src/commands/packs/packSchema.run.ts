/** Prints the schema of packs. */
import * as PackSchema from "@backstitch/contracts/PackSchema"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packSchema.ts"

/** Prints the JSON Schema of packs. */
export const handler: Handler<Input> = () =>
  Effect.sync(() => {
    return Printer.answer(PackSchema.schema, () => Terminal.lines(JSON.stringify(PackSchema.schema, null, 2)))
  })
