import { describe, expect, test } from "vitest";
import { stackTracesOf } from "./stack-traces.ts";

function first(text: string): unknown {
  const [trace] = stackTracesOf(text);
  return (
    trace && [
      trace.language,
      trace.error?.type ?? null,
      trace.error?.message ?? null,
      ...trace.frames.map((frame) => `${frame.path}:${frame.line} ${frame.symbol}`),
    ]
  );
}

describe("stack traces, the innermost frame first", () => {
  test.each([
    [
      "JavaScript",
      "TypeError: Cannot read properties of undefined (reading 'id')\n    at Cart.total (/app/src/cart.ts:10:5)\n    at async file:///app/src/main.js:3:1\n    at new Foo (webpack:///./src/foo.ts?abc:7:2)",
      [
        "javascript",
        "TypeError",
        "Cannot read properties of undefined (reading 'id')",
        "/app/src/cart.ts:10 Cart.total",
        "app/src/main.js:3 null",
        "./src/foo.ts:7 Foo",
      ],
    ],
    [
      "Python",
      'Traceback (most recent call last):\n  File "/app/main.py", line 9, in <module>\n    run()\n  File "/app/cart.py", line 4, in total\n    return 1 / 0\nZeroDivisionError: division by zero\n',
      ["python", "ZeroDivisionError", "division by zero", "/app/cart.py:4 total", "/app/main.py:9 <module>"],
    ],
    [
      "Python in a test runner's output",
      'INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File "/x/_pytest/main.py", line 191, in wrap_session\nINTERNALERROR>     session.run()\nINTERNALERROR> RuntimeError: No active exception',
      ["python", "RuntimeError", "No active exception", "/x/_pytest/main.py:191 wrap_session"],
    ],
    [
      "Java",
      'Exception in thread "main" java.lang.IllegalStateException: no cart\n\tat com.acme.shop.Cart.total(Cart.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:834)',
      [
        "java",
        "java.lang.IllegalStateException",
        "no cart",
        "com/acme/shop/Cart.java:42 Cart.total",
        "java/lang/Thread.java:834 Thread.run",
      ],
    ],
    [
      "Kotlin",
      "kotlin.KotlinNullPointerException\n\tat com.acme.CartKt.total(Cart.kt:5)",
      ["java", "kotlin.KotlinNullPointerException", "", "com/acme/Cart.kt:5 CartKt.total"],
    ],
    [
      "Go",
      "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\nmain.total(0xc000012120, 0x3)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x20",
      [
        "go",
        "panic",
        "runtime error: index out of range [3]",
        "/app/cart.go:12 main.total",
        "/app/main.go:5 main.main",
      ],
    ],
    [
      "Rust",
      "thread 'main' panicked at 'no cart', src/cart.rs:7:9\nstack backtrace:\n   0: shop::cart::total\n             at ./src/cart.rs:7:9",
      ["rust", "thread 'main' panicked at", "no cart", "src/cart.rs:7 null", "./src/cart.rs:7 shop::cart::total"],
    ],
    [
      "Rust since 1.73",
      "thread 'main' (7) panicked at src/cart.rs:7:9:\nattempt to subtract with overflow\nstack backtrace:\n   0: shop::cart::total\n             at ./src/cart.rs:7:9",
      [
        "rust",
        "thread 'main' (7) panicked at",
        "attempt to subtract with overflow",
        "src/cart.rs:7 null",
        "./src/cart.rs:7 shop::cart::total",
      ],
    ],
    [
      "Ruby",
      "NoMethodError: undefined method `id' for nil\n  from app/models/cart.rb:8:in `total'\n  from app/main.rb:2:in `<main>'",
      ["ruby", "NoMethodError", "undefined method `id' for nil", "app/models/cart.rb:8 total", "app/main.rb:2 <main>"],
    ],
    [
      "PHP",
      "PHP Fatal error:  Uncaught InvalidArgumentException: no cart in /app/Cart.php:9\n#0 /app/index.php(3): App\\Cart->total()",
      [
        "php",
        "InvalidArgumentException",
        "no cart in /app/Cart.php:9",
        "/app/Cart.php:9 null",
        "/app/index.php:3 App\\Cart->total",
      ],
    ],
    [
      "C#",
      "System.NullReferenceException: Object reference not set\n   at Acme.Cart.Total(Int32 id) in C:\\src\\Cart.cs:line 12",
      ["csharp", "System.NullReferenceException", "Object reference not set", "C:/src/Cart.cs:12 Acme.Cart.Total"],
    ],
    [
      "C",
      "#0  0x0000555 in total (cart=0x0) at src/cart.c:31\n#1  main () at src/main.c:5",
      ["c", null, null, "src/cart.c:31 total", "src/main.c:5 main"],
    ],
    [
      "a sanitizer",
      "    #0 0x4f in shop::total(int) /src/cart.cpp:31:7",
      ["c", null, null, "/src/cart.cpp:31 shop::total"],
    ],
    [
      "a compiler",
      "src/cart.ts(4,7): error TS2345: Wrong argument",
      ["compiler", "error TS2345", "Wrong argument", "src/cart.ts:4 null"],
    ],
    [
      "Firefox",
      "Error: no cart\ntotal@https://shop.example/src/cart.js:3:9",
      ["javascript", "Error", "no cart", "shop.example/src/cart.js:3 total"],
    ],
  ])("%s", (_, text, expected) => {
    expect(first(text)).toEqual(expected);
  });

  test("prose, times and ratios are no frames", () => {
    expect(
      stackTracesOf("at 10:30 we met\nratio 3:4: fine\nsee chapter 2: here\nError handling is hard\nat home (yes: 3)"),
    ).toEqual([]);
  });

  test("two traces stay two", () => {
    const one = "Error: a\n    at f (a.js:1:1)\n";
    expect(stackTracesOf(`${one}\nand\n\nalso\n\nthis\n\n${one}`)).toHaveLength(2);
  });
});
