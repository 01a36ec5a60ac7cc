import { suite } from "../../conformance/src/suites/ApiKeysSuite.ts"
import { layerMemory } from "../src/port/ApiKeys.ts"

suite("memory", layerMemory)
