import { suite } from "@backstitch/conformance/WriteAnswersSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlWriteAnswers from "../src/SqlWriteAnswers.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test, over `SqliteStatements`. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlWriteAnswers.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test, over `PostgresStatements`. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlWriteAnswers.layerPostgres({ url: postgresUrl(), schema })))
)
