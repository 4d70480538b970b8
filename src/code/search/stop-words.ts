/** Words that say nothing about where in a code base something is. */
const STOP = new Set(
  (
    "the a an and or of to in is it its this that these those for on with as be are was were not but if by at from we you " +
    "my our your can cannot could should would will do does did has have had no so when what which who how why then than " +
    "there here im ve re ll don doesn isn didn won wasn aren couldn shouldn wouldn http https www com org github io also " +
    "any all some more most other only just like get got use used using uses via per into out up about after before " +
    "because while been being they them their he she his her me us am may might must shall very too yet still even " +
    "issue bug problem feature request please thanks thank hello hi expected actual behavior behaviour describe reproduce " +
    "steps version example following code case work works working doesnt dont want need seems think instead however " +
    "something anything nothing way make makes sure possible currently true false null undefined none self let const var " +
    "function return import require new class def public private static void string int if else try catch and end"
  ).split(" "),
);

/** Whether a word can help a search at all. */
export function tells(word: string): boolean {
  return word.length > 2 && !STOP.has(word) && !/^\d+$/.test(word);
}
