"""With --landlock 1,2,3 every test that runs submissions does so under each of these versions."""


def pytest_generate_tests(metafunc):
    versions = metafunc.config.getoption("--landlock")
    if versions and "zygote" in metafunc.fixturenames:
        numbers = [int(version) for version in versions.split(",")]
        metafunc.parametrize("zygote", numbers, indirect=True, scope="session", ids="landlock-{}".format)
