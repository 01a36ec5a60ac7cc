import { suite } from "@backstitch/conformance/ApiKeysSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlApiKeys from "../src/SqlApiKeys.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test, over `SqliteStatements`, with the `Statements` of SQLite. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlApiKeys.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test, over `PostgresStatements`. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlApiKeys.layerPostgres({ url: postgresUrl(), schema })))
)
