"""A site of Django that consists of its administration, for real-applications.ts, which sets the variables."""

import os
import sys

from django.conf import settings

FOLDER = os.environ["SITE_FOLDER"]

settings.configure(
    DEBUG=True,
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    STATIC_URL="/static/",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(FOLDER, "db.sqlite3")}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    SESSION_ENGINE="django.contrib.sessions.backends.file",
    SESSION_FILE_PATH=os.path.join(FOLDER, "sessions"),
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "django.contrib.sessions",
        "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
)

import django  # noqa: E402

django.setup()

from django.contrib import admin  # noqa: E402
from django.core.management import execute_from_command_line  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
