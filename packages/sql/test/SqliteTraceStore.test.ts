import { suite } from "@backstitch/conformance/TraceStoreSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"
import { temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlTraceStore.layerSqlite({ filename }))))
