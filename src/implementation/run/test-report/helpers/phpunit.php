<?php
// Runs before every PHP program of a command that runs tests, and asks PHPUnit for a report. In a function, so that no
// names are left behind.
(static function (): void {
    $words = $_SERVER['argv'] ?? [];
    if (!preg_match('~(^|/)(phpunit|pest|paratest)(-[\d.]+)?(\.phar|\.php)?$~', $words[0] ?? '')) return;
    foreach ($words as $word) {
        if (preg_match('~^--(log-junit|help|version|list-tests|migrate-configuration)~', $word)) return;
    }
    array_splice($_SERVER['argv'], 1, 0, ['--log-junit', __DIR__ . '/phpunit-' . getmypid() . '.xml']);
    $_SERVER['argc'] = count($_SERVER['argv']);
})();
