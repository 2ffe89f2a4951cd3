"""The processes that grade a class."""

from autograder.grade import pool


def test_a_zygote_that_has_grown_is_replaced():
    first = pool._ZYGOTE.get()
    assert pool._ZYGOTE.get() is first
    first.first_memory //= 2
    second = pool._ZYGOTE.get()
    assert second is not first and second.is_alive() and not first.is_alive()
    pool._ZYGOTE.close()
