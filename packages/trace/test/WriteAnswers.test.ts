import { suite } from "../../conformance/src/suites/WriteAnswersSuite.ts"
import { layerMemory } from "../src/port/WriteAnswers.ts"

suite("memory", layerMemory)
