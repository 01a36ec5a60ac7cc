import { suite } from "../../conformance/src/suites/TraceStoreSuite.ts"
import { layerMemory } from "../src/port/TraceStore.ts"

suite("memory", layerMemory)
