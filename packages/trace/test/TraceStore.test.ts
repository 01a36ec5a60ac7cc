import { suite } from "../../conformance/src/TraceStoreSuite.ts"
import { layerMemory } from "../src/port/TraceStore.ts"

suite("memory", layerMemory)
