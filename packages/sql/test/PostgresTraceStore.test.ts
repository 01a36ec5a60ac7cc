import { suite } from "@backstitch/conformance/TraceStoreSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"
import { freshSchema, postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlTraceStore.layerPostgres({ url: postgresUrl(), schema })))
)
